package rabbitserver

import "syscall"

// endsWithParent kills a process whose parent is gone: a test that runs out of time cleans up nothing.
func endsWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
