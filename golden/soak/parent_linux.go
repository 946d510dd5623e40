package main

import "syscall"

// endsWithParent kills a process whose parent is gone.
func endsWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
