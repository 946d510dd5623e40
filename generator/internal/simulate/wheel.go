package simulate

// event is a job at the moment when its next attempt is due, or when its run ends. Each job that has not ended has one.
type event struct {
	job, first          uint32 // its number, and the ms at which its first attempt began
	failures, throttles uint32
	offset              uint16 // ms in its second
	flags               flags
}

type flags uint8

const (
	ending     flags = 1 << iota // the run ends, and did not begin
	failed                       // how it ends
	overloaded                   // it failed last, or fails now, for being above the capacity
	hit                          // its job came during the outage, or has failed
)

// chunk is a piece of a list of events. next comes first, so that the garbage collector looks at nothing else.
type chunk struct {
	next   *chunk
	n      int
	events [50]event
}

// list is a queue of events, in the order in which they were added.
type list struct{ head, tail *chunk }

// wheel holds events by the second in which they are, and those of the running second by the millisecond. Adding one and taking
// one costs the same however many there are.
type wheel struct {
	seconds []list
	ms      [1000]list
	now     int64 // the running second
	free    *chunk
}

func (w *wheel) push(l *list, e event) {
	if l.tail == nil || l.tail.n == len(l.tail.events) {
		c := w.free
		if c == nil {
			c = new(chunk)
		} else {
			w.free, c.next, c.n = c.next, nil, 0
		}
		if l.tail == nil {
			l.head = c
		} else {
			l.tail.next = c
		}
		l.tail = c
	}
	l.tail.events[l.tail.n] = e
	l.tail.n++
}

// drain takes every event of the list, also those that are added meanwhile.
func (w *wheel) drain(l *list, each func(event)) {
	for l.head != nil {
		c := l.head
		for i := 0; i < c.n; i++ {
			each(c.events[i])
		}
		l.head = c.next
		if l.head == nil {
			l.tail = nil
		}
		c.next, w.free = w.free, c
	}
}

// add puts an event at a time, which is not before the running second.
func (w *wheel) add(e event, ms int64) {
	second := ms / 1000
	e.offset = uint16(ms % 1000)
	if second == w.now {
		w.push(&w.ms[e.offset], e)
		return
	}
	for int64(len(w.seconds)) <= second {
		w.seconds = append(w.seconds, list{})
	}
	w.push(&w.seconds[second], e)
}

// turn makes a second the running one, and reports whether anything is in it.
func (w *wheel) turn(second int64) bool {
	w.now = second
	if second >= int64(len(w.seconds)) || w.seconds[second].head == nil {
		return false
	}
	w.drain(&w.seconds[second], func(e event) { w.push(&w.ms[e.offset], e) })
	return true
}
