//go:build unix && !linux

package rabbitserver

import "syscall"

func endsWithParent() *syscall.SysProcAttr { return nil }
