package output

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
)

// ManifestName is the file beside the spec that says which files are ours.
const ManifestName = ".retryc.json"

const manifestVersion = 1

// manifest records, for every file that was written, the hash of its text. Files that are written once are apart,
// so that one that is no longer generated is still known as such. Pending is there while a run writes, and after one
// that was cut off: what it meant to write is ours too, even if the spec has changed before the next run.
type manifest struct {
	Version int               `json:"version"`
	Spec    string            `json:"spec,omitempty"`   // name of the policy's file
	Queues  map[string]Queue  `json:"queues,omitempty"` // as they were when the files were written
	Files   map[string]string `json:"files"`
	Once    map[string]string `json:"once,omitempty"`
	Pending map[string]string `json:"pending,omitempty"`
}

func newManifest() manifest {
	return manifest{Version: manifestVersion, Files: map[string]string{}, Once: map[string]string{}, Pending: map[string]string{}}
}

// record adds a file to the part that it belongs to.
func (m manifest) record(path string, once bool, hash string) {
	if once {
		m.Once[path] = hash
	} else {
		m.Files[path] = hash
	}
}

// settled is the hash under which path is recorded as a file of this kind; "" if it is not, or not for certain.
func (m manifest) settled(path string, once bool) string {
	if _, pending := m.Pending[path]; pending {
		return ""
	}
	if once {
		return m.Once[path]
	}
	return m.Files[path]
}

// knows reports whether path is ours in any way.
func (m manifest) knows(path string) bool {
	return m.Files[path] != "" || m.Once[path] != "" || m.Pending[path] != ""
}

// wrote reports whether path, with this hash, is as a run left it.
func (m manifest) wrote(path, hash string) bool {
	return hash == m.Files[path] || hash == m.Once[path] || hash == m.Pending[path]
}

// pending is the manifest while a run writes files. One that is written once is left out: a migration is taken over
// for what it says, and never removed.
func (m manifest) pending(report Report, spec string) manifest {
	m.Spec = spec
	m.Pending = map[string]string{}
	for _, e := range report.Entries {
		if !e.Once && (e.State == Missing || e.State == Changed) {
			m.Pending[e.Path] = hash(e.New)
		}
	}
	return m
}

// encode is the text of the manifest: keys sorted, so that it is the same for the same files.
func (m manifest) encode() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		panic(err) // strings and numbers always encode
	}
	return b.Bytes()
}

// errNewer is a manifest of a later version of the tool.
var errNewer = errors.New("a newer version")

func decodeManifest(text []byte) (manifest, error) {
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return manifest{}, err
	}
	if head.Version > manifestVersion {
		return manifest{}, errNewer
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return manifest{}, err
	}
	if m.Version < 1 || m.Files == nil {
		return manifest{}, errors.New("not a manifest")
	}
	if m.Spec != filepath.Base(m.Spec) && m.Spec != "" {
		return manifest{}, errors.New("a policy in another folder")
	}
	for _, part := range []map[string]string{m.Files, m.Once, m.Pending} {
		for p := range part {
			if !validPath(p) {
				return manifest{}, errors.New("a path that is not ours to write")
			}
		}
	}
	if m.Once == nil {
		m.Once = map[string]string{}
	}
	if m.Pending == nil {
		m.Pending = map[string]string{}
	}
	return m, nil
}

// readManifest answers an entry instead where the manifest is there but cannot be used.
func (d *disk) readManifest() (manifest, *Entry, error) {
	text, kind, err := d.read(ManifestName)
	if err != nil || kind == absent {
		return newManifest(), nil, err
	}
	bad := &Entry{Path: ManifestName, State: Damaged, Advice: adviseDamaged, Disk: text}
	if kind != regular {
		return newManifest(), bad, nil
	}
	m, err := decodeManifest(text)
	switch {
	case err == nil:
		return m, nil, nil
	case errors.Is(err, errNewer):
		bad.Advice = adviseNewer
	}
	return newManifest(), bad, nil
}

// hash is of the text as it is with plain line ends, because git may check it out with others.
func hash(text []byte) string {
	sum := sha256.Sum256(plainLineEnds(text))
	return hex.EncodeToString(sum[:])
}

func plainLineEnds(text []byte) []byte {
	if bytes.IndexByte(text, '\r') < 0 {
		return text // which can be megabytes
	}
	return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
}

// validPath reports whether p is a clean path strictly below the folder of the spec, and not the manifest's own.
func validPath(p string) bool {
	return fs.ValidPath(p) && p != "." && p != ManifestName && filepath.IsLocal(filepath.FromSlash(p))
}
