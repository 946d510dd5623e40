package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// meter is what this process and the database's server have used so far. SQLite runs in this process.
type meter struct {
	cpu     float64 // seconds of this process, in user and system mode
	written float64 // bytes that this process handed to the disk; 0 where the system does not tell
	server  float64 // seconds of the server, in user and system mode; 0 where it is on another machine
	wal     float64 // bytes of the server's log
}

func readMeter() (m meter) {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) == nil {
		for _, t := range []syscall.Timeval{r.Utime, r.Stime} {
			m.cpu += float64(t.Sec) + float64(t.Usec)/1e6
		}
	}
	stat, _ := os.ReadFile("/proc/self/io") // Linux alone has it
	for line := range strings.Lines(string(stat)) {
		if count, found := strings.CutPrefix(line, "write_bytes: "); found {
			m.written, _ = strconv.ParseFloat(strings.TrimSpace(count), 64)
		}
	}
	return m
}

// since is what was used after before: the seconds for 10,000 of n jobs, the bytes for one.
func (m meter) since(before meter, n int) meter {
	perJob := 1 / float64(n)
	return meter{
		cpu: (m.cpu - before.cpu) * perJob * 1e4, written: (m.written - before.written) * perJob,
		server: (m.server - before.server) * perJob * 1e4, wal: (m.wal - before.wal) * perJob,
	}
}

// serverCPU is what PostgreSQL has used, by one of its processes: the processes that have ended are on their parent's
// account.
func serverCPU(backend int) float64 {
	stat := procStat(strconv.Itoa(backend))
	if stat == nil || !strings.HasPrefix(stat[0], "(postgres") {
		return 0
	}
	parent := stat[2]
	ticks := 0.0
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range all {
		pid := filepath.Base(dir)
		fields := procStat(pid)
		var of []string
		switch {
		case fields == nil:
		case pid == parent:
			of = fields[12:16] // utime, stime, and both of its ended children
		case fields[2] == parent:
			of = fields[12:14]
		}
		for _, f := range of {
			t, _ := strconv.ParseFloat(f, 64)
			ticks += t
		}
	}
	return ticks / 100 // Linux counts in hundredths of a second
}

// procStat is /proc/pid/stat from the name on, which is one field whatever it has in it.
func procStat(pid string) []string {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	from, to := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if err != nil || from < 0 || to < 0 {
		return nil
	}
	return append([]string{string(stat[from : to+1])}, strings.Fields(string(stat[to+1:]))...)
}
