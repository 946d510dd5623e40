package migrate

import (
	"bytes"
	"slices"
)

// Sides are the two texts of one that git could not merge: that of HEAD, and the other one.
func Sides(text []byte) (ours, theirs []byte, conflict bool) {
	const both, first, base, second = 0, 1, 2, 3
	in := both
	for line := range bytes.Lines(plainLineEnds(text)) {
		switch {
		case bytes.HasPrefix(line, []byte("<<<<<<< ")):
			in, conflict = first, true
			continue
		case in != both && bytes.HasPrefix(line, []byte("||||||| ")):
			in = base
			continue
		case in != both && bytes.Equal(bytes.TrimSpace(line), []byte("=======")):
			in = second
			continue
		case in != both && bytes.HasPrefix(line, []byte(">>>>>>> ")):
			in = both
			continue
		}
		if in == both || in == first {
			ours = append(ours, line...)
		}
		if in == both || in == second {
			theirs = append(theirs, line...)
		}
	}
	return ours, theirs, conflict
}

// Fork is a record that two branches have added to.
type Fork struct {
	Ours, Theirs Record
	common       int // migrations that both have
}

// ForkOf reads both sides of a record that git could not merge.
func ForkOf(text []byte) (Fork, error) {
	a, b, _ := Sides(text)
	var f Fork
	var err error
	if f.Ours, err = Decode(a); err != nil {
		return Fork{}, err
	}
	if f.Theirs, err = Decode(b); err != nil {
		return Fork{}, err
	}
	for f.common < min(len(f.Ours.Migrations), len(f.Theirs.Migrations)) &&
		f.Ours.Migrations[f.common].Chain == f.Theirs.Migrations[f.common].Chain {
		f.common++
	}
	return f, nil
}

// Added are the files that each side has and the other has not, sorted.
func (f Fork) Added() (ours, theirs []string) {
	names := func(r Record) (out []string) {
		for _, m := range r.Migrations[f.common:] {
			for name := range m.Files {
				out = append(out, name)
			}
		}
		slices.Sort(out)
		return out
	}
	return names(f.Ours), names(f.Theirs)
}

// Shared is a file that both sides have written, each in its own way; "" where there is none.
func (f Fork) Shared() string {
	ours, theirs := f.Added()
	for _, name := range ours {
		if slices.Contains(theirs, name) {
			return name
		}
	}
	return ""
}
