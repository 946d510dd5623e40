package migrate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
)

// RecordName is the file in the folder of migrations that says which tables they make.
const RecordName = ".retryc-schema.json"

const recordVersion = 1

// Record is every migration that was written, in order, and the tables after each. It is only ever added to, so that two
// branches that each add a migration conflict where they do, and each side of the conflict is whole.
type Record struct {
	Version    int         `json:"version"`
	Format     string      `json:"format"` // the tool that the files are for
	Migrations []Migration `json:"migrations"`
}

// Folder is what a run has to know of the folder of migrations.
type Folder struct {
	Record Record
	Next   int // the number for a migration after all that are there; 0 where it does not matter
}

// Migration is one step of the tables. One that no statement has to do with, such as a column that is copied from another
// field, has no files.
type Migration struct {
	Files  map[string]string `json:"files"` // by name in the folder, the sum of its statements
	Schema Schema            `json:"schema"`
	Chain  string            `json:"chain"` // hash over the one before, or the format, and all of this one
}

// Last is the tables after the last migration, and whether there is one.
func (r Record) Last() (Schema, bool) {
	if len(r.Migrations) == 0 {
		return Schema{}, false
	}
	return r.Migrations[len(r.Migrations)-1].Schema, true
}

// Has reports whether a file of the folder is one of the migrations.
func (r Record) Has(name string) bool {
	return slices.ContainsFunc(r.Migrations, func(m Migration) bool { return m.Files[name] != "" })
}

// Append is the record with one migration more. The format is settled by then.
func (r Record) Append(files map[string]string, s Schema) Record {
	m := Migration{Files: files, Schema: s}
	m.Chain = m.chain(r.head())
	r.Version = recordVersion
	r.Migrations = append(slices.Clone(r.Migrations), m)
	return r
}

// head is what the next link of the chain hangs on; the first hangs on the format.
func (r Record) head() string {
	if len(r.Migrations) == 0 {
		return r.Format
	}
	return r.Migrations[len(r.Migrations)-1].Chain
}

func (m Migration) chain(before string) string {
	m.Chain = before
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // strings, numbers and truth values always encode
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Encode is the text of the record.
func (r Record) Encode() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		panic(err) // as above
	}
	return b.Bytes()
}

// What keeps a record from being read, beside text that is none.
var (
	ErrNewer    = errors.New("it was written by a newer retryc")
	ErrConflict = errors.New("it has the marks of a merge conflict")
)

// Decode reads a record, and wants its chain to be whole.
func Decode(text []byte) (Record, error) {
	if _, _, conflict := Sides(text); conflict {
		return Record{}, ErrConflict
	}
	var head struct{ Version int }
	if err := json.Unmarshal(text, &head); err != nil {
		return Record{}, errors.New("it is not a record of migrations")
	}
	if head.Version > recordVersion {
		return Record{}, ErrNewer
	}
	var r Record
	if err := json.Unmarshal(text, &r); err != nil || r.Version < 1 || len(r.Migrations) == 0 {
		return Record{}, errors.New("it is not a record of migrations")
	}
	before := r.Format
	for i, m := range r.Migrations {
		if m.Schema.Shape > Shape {
			return Record{}, ErrNewer
		}
		if m.chain(before) != m.Chain {
			return Record{}, fmt.Errorf("its entry %d is not as it was written", i+1)
		}
		for name := range m.Files {
			if !validName(name) {
				return Record{}, fmt.Errorf("its entry %d names a file outside the folder", i+1)
			}
		}
		before = m.Chain
	}
	return r, nil
}

// validName is of a file in the folder of migrations, or of one in its folder down.
func validName(name string) bool {
	dir := path.Dir(name)
	return fs.ValidPath(name) && (dir == "." || dir == "down") && path.Ext(name) == ".sql"
}
