package output

import (
	"path"
	"slices"
)

// Folder is a folder of migrations as it is on disk.
type Folder struct {
	Record []byte   // nil: there is none
	Names  []string // of the files in it, and of those in its folder down as down/name
}

// ReadFolder reads a folder below root, which need not exist.
func ReadFolder(root, dir, record string) (Folder, error) {
	d, err := open(root)
	if err != nil {
		return Folder{}, err
	}
	defer d.close()
	var f Folder
	if f.Record, _, err = d.read(path.Join(dir, record)); err != nil {
		return f, err
	}
	if f.Names, err = d.list(dir); err != nil {
		return f, err
	}
	if !slices.Contains(f.Names, "down") {
		return f, nil
	}
	down, err := d.list(path.Join(dir, "down"))
	for _, name := range down {
		f.Names = append(f.Names, "down/"+name)
	}
	return f, err
}

// Highest is the highest number of a migration in the folder, 0 where there is none.
func (f Folder) Highest(skip func(name string) bool) int {
	highest := 0
	for _, name := range f.Names {
		if number, _ := Number(path.Base(name)); !skip(name) {
			highest = max(highest, number)
		}
	}
	return highest
}

// Settle writes files, the record that knows them last, and then removes those that it does without. Where it is cut off,
// the record lacks some of what is there, and never has what is not.
func Settle(root string, write []File, remove []string) error {
	d, err := open(root)
	if err != nil {
		return err
	}
	defer d.close()
	for _, f := range write {
		if err := d.write(f.Path, f.Data); err != nil {
			return err
		}
	}
	for _, p := range remove {
		if err := d.remove(p); err != nil {
			return err
		}
	}
	return nil
}

// Read answers the text of a file below root; nil where there is none.
func Read(root, p string) ([]byte, error) {
	d, err := open(root)
	if err != nil {
		return nil, err
	}
	defer d.close()
	text, _, err := d.read(p)
	return text, err
}
