package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/retryc/retryc/generator"
	"github.com/spf13/cobra"
)

func costCommand() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "cost [QUEUE]",
		Short: "Say what a job takes and costs that never succeeds",
		Long: "cost prints what one job of each queue takes until it is dead, at most, where it uses up every counter: runs of the\n" +
			"handler and their time, rows of the ledger, messages and requests to the queue's broker, and what that costs by the\n" +
			"prices in retry.yaml. With a queue it also tells each way in which all attempts of a job can end.",
		Example: "  retryc cost\n  retryc cost welcome-email",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("%s takes one queue at a time, but there are %d: %s", c.CommandPath(), len(args), strings.Join(args, ", "))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			path, err := findSpec(file)
			if err != nil {
				return err
			}
			queue := strings.Join(args, "")
			costs, currency, result, err := generator.Costs(path, queue)
			if err != nil {
				return err
			}
			if result.Diagnostics.HasErrors() {
				if err := writeDiagnostics(c.ErrOrStderr(), "text", path, result); err != nil {
					return err
				}
				return errFindings
			}
			return printCosts(c.OutOrStdout(), path, costs, currency, queue != "")
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			path, err := findSpec(file)
			if err != nil || len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return generator.Queues(path), cobra.ShellCompDirectiveNoFileComp
		},
	}
	c.Flags().StringVarP(&file, "file", "f", "", "the policy (default: the nearest retry.yaml, here or in a folder above)")
	_ = c.MarkFlagFilename("file", "yaml", "yml")
	return c
}

func printCosts(w io.Writer, path string, costs []generator.Cost, currency string, ends bool) error {
	p := &printer{w: w, spec: path}
	tiers := false
	for _, c := range costs {
		tiers = tiers || c.Tier != ""
	}
	head := []string{"queue"}
	if tiers {
		head = append(head, "tier")
	}
	names := len(head)
	head = append(head, "runs", "handler time", "ledger rows", "messages", "requests")
	if currency != "" {
		head = append(head, currency)
	}
	if ends {
		head = append(head, "attempts end in")
	}
	rows := [][]string{head}
	for _, c := range costs {
		row := []string{c.Queue}
		if tiers {
			row = append(row, c.Tier)
		}
		t := c.Takes
		row = append(row, strconv.Itoa(t.Runs), t.HandlerTime.String(), strconv.Itoa(t.LedgerRows), strconv.Itoa(t.Messages), strconv.Itoa(t.Requests))
		if t.Cost != nil {
			row = append(row, strconv.FormatFloat(*t.Cost, 'f', -1, 64))
		}
		if ends {
			row = append(row, orEveryWay(c.Ends))
		}
		rows = append(rows, row)
	}
	p.figures(rows, names)
	return p.err
}

// orEveryWay are the ways to end, in words.
func orEveryWay(ends []string) string {
	if len(ends) == 0 {
		return "every way, until each counter is used up"
	}
	return strings.Join(ends, ", ")
}

// figures prints rows with their columns under each other: the first ones are names, the others stand to the right, but for the
// last of the head's where it has words.
func (p *printer) figures(rows [][]string, names int) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			switch words := rows[0][i] == "attempts end in"; {
			case i < names, words:
				fmt.Fprintf(&line, "%-*s  ", widths[i], cell)
			default:
				fmt.Fprintf(&line, "%*s  ", widths[i], cell)
			}
		}
		p.printf("%s\n", strings.TrimRight(line.String(), " "))
	}
}
