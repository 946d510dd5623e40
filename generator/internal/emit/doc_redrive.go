package emit

import (
	"fmt"

	"github.com/retryc/retryc/generator/internal/plan"
)

// redriveInWords says how dead jobs are looked at and sent back, where the spec has that.
func redriveInWords(text *prose, p *plan.Plan) {
	r := p.Redrive
	if r == nil {
		return
	}
	text.heading("Dead letters")
	text.paragraph("DeadLetters lists the jobs that were given up, by queue, class, reason, fingerprint, tenant, age or id; DeadGroups counts those of one cause; History is one job " +
		"with its payload, its whole ledger and every plan that has handled it. They change nothing.")
	text.paragraph("Sending jobs back is a decision of a person, and takes two steps. PlanRedrive freezes a filter into a list of jobs, which has a hash, and says what to think of first. " +
		"ApplyRedrive takes that hash, a name and a reason, and refuses a reason that says nothing:")
	text.code(
		fmt.Sprintf("plan, err := store.PlanRedrive(ctx, %s.DeadFilter{Fingerprint: \"…\"})", p.Package),
		fmt.Sprintf("done, err := store.ApplyRedrive(ctx, plan.ID, plan.Hash, %s.Signed{Operator: \"…\", Reason: \"…\"}, nil)", p.Package))
	text.paragraph("What ApplyRedrive does:")
	text.item(fmt.Sprintf("It sends %s first, and waits for how each first attempt ends; then %d every %s, each at its own time within those.",
		count(r.Canary, "job", "jobs"), r.Batch, plan.Duration(r.Every)))
	same := ""
	if r.SameError {
		same = "a job has failed with the fingerprint that it was dead of; "
	}
	text.item(fmt.Sprintf("It stops before a batch when %s%d%% of the first attempts have failed, once there are five of them, or any number in the canary; the oldest due job of a queue has waited for %s; "+
		"or StopRedrive was called. The row of %s says why. Applied again, it goes on with another canary.", same, percent(r.ErrorShare), plan.Duration(r.QueueAge), r.Table))
	text.item(fmt.Sprintf("A job goes back under its own id and key, in a new generation with fresh budgets, at most until its generation %d. Its earlier attempts stay in the ledger.", r.MaxGenerations))
	text.item("Each job of a plan has its result in " + r.Table + "_item. One that has changed since, or that somebody else has sent meanwhile, is passed over, and its row says by whom and in which plan.")
	text.item("A batch is one transaction. Where the process dies, applying the same plan again goes on, as soon as its lease of 30s is over.")
	text.item("UndoRedrive gives back to the dead what has not begun, as it was. PlanDiscard closes jobs for good: they never run, and their keys stay taken. Amend… sends one job back with another payload of the same key.")
	text.paragraph("Two programs can do this at once; each job is sent by one of them. What a role needs is under operator in grants_gen.sql: the workers have none of it.")
}

// percent is a part of one as a percentage, as retry.yaml has it.
func percent(part float64) int { return int(part*100 + 0.5) }
