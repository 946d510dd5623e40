package producers_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestFunctionRefusesWhatNoWorkerCouldTake(t *testing.T) {
	trial := newTrial(t)
	right := map[string]string{
		"text": `"a"`, "colour": `"red"`, "order_id": `"6ba7b810-9dad-11d1-80b4-00c04fd430c8"`, "count": "1", "total_cents": "2", "urgent": "true", "due_at": `"2026-01-31T09:30:00Z"`,
	}
	with := func(field, value string) string {
		var fields []string
		for name, v := range right {
			if name == field {
				v = value
			}
			if v != "" {
				fields = append(fields, `"`+name+`": `+v)
			}
		}
		slices.Sort(fields)
		return "{" + strings.Join(fields, ", ") + "}"
	}
	for _, c := range []struct{ payload, want string }{
		{"null", "the payload is no JSON object, but null"},
		{"[]", "the payload is no JSON object, but array"},
		{with("text", ""), `the payload lacks the field "text"`},
		{with("text", "null"), `the payload lacks the field "text"`},
		{with("text", "1"), `the field "text" of the payload is not of type string`},
		{with("text", `""`), `the field "text" of the idempotency key is empty`},
		{with("colour", `""`), `the field "colour" of the idempotency key is empty`},
		{with("order_id", `"6BA7B810-9DAD-11D1-80B4-00C04FD430C8"`), `the field "order_id" of the payload is not of type uuid`},
		{with("count", "1.0"), `the field "count" of the payload is not of type integer`},
		{with("count", "1e3"), `the field "count" of the payload is not of type integer`},
		{with("count", `"1"`), `the field "count" of the payload is not of type integer`},
		{with("total_cents", "9223372036854775808"), `the field "total_cents" of the payload is not of type integer`},
		{with("total_cents", "-9223372036854775809"), `the field "total_cents" of the payload is not of type integer`},
		{with("urgent", `"true"`), `the field "urgent" of the payload is not of type boolean`},
		{with("due_at", `"tomorrow"`), `the field "due_at" of the payload is not of type time`},
		{with("due_at", `"2026-01-31 09:30:00Z"`), `the field "due_at" of the payload is not of type time`},
		{with("due_at", `"2026-01-31T09:30:00"`), `the field "due_at" of the payload is not of type time`},
		{with("due_at", `"2026-02-29T09:30:00Z"`), `the field "due_at" of the payload is not of type time`},
		{with("due_at", `"2026-01-31T24:00:00Z"`), `the field "due_at" of the payload is not of type time`},
		{with("due_at", `"0001-01-01T00:00:00+01:00"`), `the field "due_at" of the payload is not of type time`},
		{with("due_at", `"0001-01-01T01:00:00+01:00"`), `the field "due_at" of the idempotency key is empty`},
		{with("urgent", `true, "Urgent": true`), `the payload has a field "Urgent" that retry.yaml does not have for this queue`},
	} {
		_, err := enqueue(t.Context(), trial.DB(), "pay_enqueue_every_key", c.payload, nil)
		wantError(t, c.payload, err, "22023", c.want)
	}
	_, err := enqueue(t.Context(), trial.DB(), "pay_enqueue_ping", "{}", "")
	wantError(t, "an empty key", err, "22023", `the field "key" of the idempotency key is empty`)
	if _, err := enqueue(t.Context(), trial.DB(), "pay_enqueue_every_key", with("due_at", `"2024-02-29T23:59:59.999999999-23:59"`), nil); err != nil {
		t.Errorf("the last moment of a leap day: %v", err)
	}
}

func wantError(t *testing.T, what string, err error, code, message string) {
	t.Helper()
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Code != code || e.Message != message || e.Hint == "" {
		t.Errorf("%s: %v (%+v), want %s", what, err, e, message)
	}
}
