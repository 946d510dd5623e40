package worker

import (
	"errors"
	"net/http"
	"strings"
	"testing"
)

func objectOf(t webhookTable, header http.Header, body string) ([]byte, error) {
	root, err := parseBody([]byte(body))
	if err != nil {
		return nil, err
	}
	return t.object(header, root)
}

func TestDeliveryIsReadFromWhereItsFieldsAre(t *testing.T) {
	table := webhookTable{fields: []webhookField{
		{name: "id", path: []string{"id"}, takes: textJSON, required: true},
		{name: "amount", path: []string{"data", "lines", "1", "amount"}, takes: numberJSON},
		{name: "test", path: []string{"data", "test"}, takes: boolJSON},
		{name: "lines", path: []string{"data", "lines"}, takes: listJSON},
		{name: "data", path: []string{"data"}, takes: objectJSON},
		{name: "kind", header: "X-Kind"},
		{name: "any", path: []string{"any"}},
	}}
	bare := webhookTable{fields: []webhookField{{name: "all", required: true}}}
	for body, want := range map[string]string{
		`{"id": "a"}`: `{"id":"a"}`,
		`{"id":"a","data":{"test":false,"lines":[{"amount":1},{"amount": 9007199254740993.10 }]}}`: `{"amount":9007199254740993.10,"data":{"test":false,"lines":[{"amount":1},{"amount":9007199254740993.10}]},"id":"a","lines":[{"amount":1},{"amount":9007199254740993.10}],"test":false}`,
		" {\"any\" :\t[ 1 , null ],\n\"id\" : \"\\u00e9\" } ":                                      `{"any":[1,null],"id":"\u00e9"}`,
		`{"id":"a","any":null,"data":null}`:                                                        `{"any":null,"id":"a"}`,
		`{"id":"a","data":{"lines":[]}}`:                                                           `{"data":{"lines":[]},"id":"a","lines":[]}`,
		`{"id":"a","data":{"lines":{"1":{"amount":7}}}}`:                                           "data.lines is an object, and has to be a list",
		`{"id":"\ufffd"}`:                     `{"id":"\ufffd"}`,
		`{"id":"` + "\uFFFD" + `"}`:           `{"id":"` + "\uFFFD" + `"}`,
		`{"id":"\uD83D\uDE00"}`:               `{"id":"\uD83D\uDE00"}`,
		``:                                    "the body is not JSON",
		`{"id":"a"} {}`:                       "the body is not JSON",
		`{"id":"a",}`:                         "the body is not JSON",
		"\uFEFF{}":                            "the body is not JSON",
		"{\"id\":\"\xff\"}":                   "the body is not valid UTF-8",
		`{"id":"\ud800"}`:                     "the body has a text that is not valid Unicode",
		`{"id":"a","x":{"\udfff":1}}`:         "the body has a text that is not valid Unicode",
		`{"id":"a","id":"b"}`:                 `the body has the key "id" twice in one object`,
		`{"id":"a","i\u0064":"b"}`:            `the body has the key "id" twice in one object`,
		`{"id":"a","x":[{"y":1,"y":1}]}`:      `the body has the key "y" twice in one object`,
		`{"ID":"a"}`:                          "id is not there, and id is made of it",
		`{"id":null}`:                         "id is not there, and id is made of it",
		`[]`:                                  "id is not there, and id is made of it",
		`"id"`:                                "id is not there, and id is made of it",
		`{"id":1}`:                            "id is a number, and has to be a text",
		`{"id":"a","data":{"test":"true"}}`:   "data.test is a text, and has to be true or false",
		`{"id":"a","data":7}`:                 "data is a number, and has to be an object",
		strings.Repeat("[", 9999):             "the body is not JSON",
		nested(deepestJSON + 1):               "the body is nested too deep",
		`{"id":"a","any":` + nested(50) + `}`: `{"any":` + nested(50) + `,"id":"a"}`,
	} {
		object, err := objectOf(table, http.Header{}, body)
		if got := string(object); err != nil {
			var misfit *webhookMisfit
			if !errors.As(err, &misfit) || misfit.text != want {
				t.Errorf("%.60s: %v, want %s", body, err, want)
			}
		} else if got != want {
			t.Errorf("%.60s: %s, want %s", body, got, want)
		}
	}
	object, err := objectOf(bare, nil, ` [ {"a" : 1} ] `)
	if string(object) != `{"all":[{"a":1}]}` || err != nil {
		t.Errorf("%s, %v", object, err)
	}
}

func nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

func TestFieldsAreTakenFromHeaders(t *testing.T) {
	table := webhookTable{fields: []webhookField{{name: "kind", header: "X-Kind"}, {name: "id", header: "X-Id", required: true}}}
	for want, header := range map[string]http.Header{
		`{"id":"1","kind":"a \"b\""}`: headers("x-id", "1", "X-KIND", `a "b"`),
		`{"id":"1"}`:                  headers("X-Id", "1", "X-Kind", ""),
		"the header X-Id is not there, and id is made of it": headers("X-Kind", "a"),
		"the header X-Kind is there 2 times":                 headers("X-Id", "1", "X-Kind", "a", "X-Kind", "a"),
		"the header X-Id is not valid UTF-8":                 headers("X-Id", "\xff"),
	} {
		object, err := objectOf(table, header, "{}")
		if err != nil {
			object = []byte(err.Error())
		}
		if string(object) != want {
			t.Errorf("%s, want %s", object, want)
		}
	}
}

func FuzzBodiesAreReadOrRefused(f *testing.F) {
	for _, seed := range []string{`{"id":"a","data":[1,{"b":null}]}`, `{"a":1,"a":2}`, "[", `"\ud800"`, " 1 ", `{"\u0000":[]}`} {
		f.Add([]byte(seed))
	}
	table := webhookTable{fields: []webhookField{{name: "all"}, {name: "id", path: []string{"id"}}, {name: "b", path: []string{"data", "1", "b"}, takes: textJSON}}}
	f.Fuzz(func(t *testing.T, body []byte) {
		object, err := objectOf(table, nil, string(body))
		if err != nil {
			var misfit *webhookMisfit
			if !errors.As(err, &misfit) {
				t.Fatalf("%v", err)
			}
			return
		}
		if _, err := parseBody(object); err != nil {
			t.Errorf("%s of %s: %v", object, body, err)
		}
	})
}

func TestDeliveriesOfOtherKindsAreLeftAlone(t *testing.T) {
	byType := webhookTable{only: webhookField{path: []string{"type"}, takes: textJSON}, onlyIs: []string{"paid", "sent"}}
	byHeader := webhookTable{only: webhookField{header: "X-Kind", takes: textJSON}, onlyIs: []string{"push"}}
	for _, c := range []struct {
		table  webhookTable
		header http.Header
		body   string
		want   string
	}{
		{webhookTable{}, nil, `{}`, ""},
		{byType, nil, `{"type":"paid"}`, ""},
		{byType, nil, `{"type":"s\u0065nt"}`, ""},
		{byType, nil, `{"type":"Paid"}`, errLeftAlone.Error()},
		{byType, nil, `{"type":""}`, errLeftAlone.Error()},
		{byType, nil, `{}`, "type is not there, and says which kind the delivery is of"},
		{byType, nil, `{"type":["paid"]}`, "type is a list, and has to be a text"},
		{byHeader, headers("x-kind", "push"), `{}`, ""},
		{byHeader, headers("x-kind", "ping"), `{}`, errLeftAlone.Error()},
		{byHeader, headers("x-kind", "push", "X-Kind", "ping"), `{}`, "the header X-Kind is there 2 times"},
	} {
		root, err := parseBody([]byte(c.body))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := c.table.wants(c.header, root); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%v %s: %q, want %q", c.header, c.body, got, c.want)
		}
	}
}
