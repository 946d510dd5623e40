package spec

import (
	"fmt"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// However many checks share a file, they complain of the same, and once.
func TestSharedChecksComplainOfTheSame(t *testing.T) {
	queues := map[string]any{"Not A Name": map[string]any{"payload": map[string]any{}}}
	for i := range 100 {
		queue := map[string]any{"payload": map[string]any{"id": "string"}}
		switch i {
		case 10:
			delete(queue, "payload")
		case 20:
			queue["timeout"] = "soon"
		case 30:
			queue["payload"] = map[string]any{"id": "strng"}
		case 40:
			queue["speed"] = int64(1)
		}
		queues[fmt.Sprint("q", i)] = queue
	}
	file := map[string]any{"version": int64(2), "queues": queues, "caps": map[string]any{"attempts": "many"}}
	want := leafPlaces(complaints(file, 1))
	if len(want) < 8 {
		t.Fatalf("the file is wrong in fewer places than it should be: %q", want)
	}
	for _, n := range []int{2, 3, 7, 200} {
		if got := leafPlaces(complaints(file, n)); !slices.Equal(got, want) {
			t.Errorf("%d checks complain of\n%q, want\n%q", n, got, want)
		}
	}
}

func leafPlaces(all []*jsonschema.ValidationError) (places []string) {
	for _, e := range all {
		if len(e.Causes) == 0 {
			places = append(places, e.InstanceLocation+" "+e.AbsoluteKeywordLocation)
		}
		places = append(places, leafPlaces(e.Causes)...)
	}
	slices.Sort(places)
	return places
}
