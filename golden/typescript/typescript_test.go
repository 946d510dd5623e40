package typescript_test

import (
	"os/exec"
	"testing"

	"github.com/retryc/retryc/golden/typescript"
)

const node = "../node"

// What is emitted needs neither a package nor the types of a platform, and no check of the compiler to be off.
func TestEmittedTypeScriptCompiles(t *testing.T) {
	typescript.Output(t, exec.Command(typescript.Tool(t, node, "tsc"), "-p", node))
}

func TestEmittedTypeScriptIsFormatted(t *testing.T) {
	typescript.Output(t, exec.Command(typescript.Tool(t, node, "prettier"), "--check", "../*/node/*.ts"))
}
