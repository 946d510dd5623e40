package worker

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

// The vectors are published for producers in other languages; they were made by another program than this one.
func TestPublishedVectorsOfJobIDs(t *testing.T) {
	raw, err := os.ReadFile("../../schema/job_id.v1.json")
	if err != nil {
		t.Fatal(err)
	}
	var published struct {
		Vectors []struct {
			Queue  string
			Fields []any
			Key    string
			JobID  string `json:"job_id"`
		}
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&published); err != nil || len(published.Vectors) < 5 {
		t.Fatalf("%d vectors: %v", len(published.Vectors), err)
	}
	for _, v := range published.Vectors {
		for i, f := range v.Fields {
			if n, is := f.(json.Number); is {
				if v.Fields[i], err = n.Int64(); err != nil {
					t.Fatal(err)
				}
			}
		}
		key, err := keyText(v.Fields)
		if err != nil || key != v.Key {
			t.Errorf("%v: key %s, want %s (%v)", v.Fields, key, v.Key, err)
		}
		if id := derivedID(v.Queue, key); id != v.JobID {
			t.Errorf("%s %s: job_id %s, want %s", v.Queue, key, id, v.JobID)
		}
	}
}
