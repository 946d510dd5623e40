// Command takes reads lines of the name of a queue of golden/payloads and a payload of it, a blank between them, and prints
// for each true where the emitted type decodes the payload and finds it valid, and false where it does not.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"github.com/retryc/retryc/golden/payloads/queue"
)

var types = map[string]func(raw []byte) bool{
	"required": takes[queue.EveryKind], "optional": takes[queue.Optional], "defaulted": takes[queue.Defaulted], "empty": takes[queue.Empty],
}

func takes[P interface{ Validate() error }](raw []byte) bool {
	var p P
	return json.Unmarshal(raw, &p) == nil && p.Validate() == nil
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		name, raw, _ := bytes.Cut(lines.Bytes(), []byte(" "))
		fmt.Println(types[string(name)](raw))
	}
}
