package mysql_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"net"
	"os"
	osexec "os/exec"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/retryc/retryc/golden/mysql/jobs"
)

// newAccount makes an account that may do nothing yet: its name is its user@host.
func newAccount(t *testing.T, trial *jobs.Trial) string {
	t.Helper()
	account := "retryc_" + strings.ToLower(rand.Text())[:20] + "@%"
	exec(t, trial.DB(), "create user "+quoted(account))
	t.Cleanup(func() { _, _ = trial.DB().ExecContext(context.Background(), "drop user "+quoted(account)) })
	return account
}

func user(account string) string { return strings.TrimSuffix(account, "@%") }

// quoted is an account as SQL has it.
func quoted(account string) string { return "'" + user(account) + "'@'%'" }

// server is how to connect to the database of a trial.
func server(t *testing.T, trial *jobs.Trial) *mysql.Config {
	t.Helper()
	config, err := mysql.ParseDSN(os.Getenv("RETRYC_TEST_MYSQL"))
	if err == nil {
		err = trial.DB().QueryRow("select database()").Scan(&config.DBName)
	}
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// grant runs grants_gen.sql with variables, such as worker=jobs_worker@%.
func grant(t *testing.T, trial *jobs.Trial, variables ...string) error {
	t.Helper()
	var set []string
	for _, v := range variables {
		name, account, _ := strings.Cut(v, "=")
		set = append(set, "@"+name+" = '"+account+"'")
	}
	first := ""
	if len(set) > 0 {
		first = "set " + strings.Join(set, ", ")
	}
	return script(t, trial, "jobs/grants_gen.sql", first)
}

// script runs a script with the client, after a first command where there is one.
func script(t *testing.T, trial *jobs.Trial, file, first string) error {
	t.Helper()
	client, err := osexec.LookPath("mysql")
	if err != nil {
		if client, err = osexec.LookPath("mariadb"); err != nil {
			missing(t, "mysql", "install the client of MySQL or MariaDB")
		}
	}
	text, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = text.Close() }()
	config := server(t, trial)
	host, port, err := net.SplitHostPort(config.Addr)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"--no-defaults", "--host=" + host, "--port=" + port, "--user=" + config.User}
	if first != "" {
		args = append(args, "--init-command="+first)
	}
	run := osexec.Command(client, append(args, config.DBName)...)
	run.Stdin, run.Env = text, append(os.Environ(), "MYSQL_PWD="+config.Passwd)
	if out, err := run.CombinedOutput(); err != nil {
		return errors.New(string(out))
	}
	return nil
}

// missing ends a test that lacks a program: in CI it must be there.
func missing(t *testing.T, what, advice string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("needs %s: %s", what, advice)
	}
	t.Skipf("needs %s: %s", what, advice)
}

// dsn is the data source name with which an account connects.
func dsn(t *testing.T, trial *jobs.Trial, account string) string {
	t.Helper()
	config := server(t, trial)
	config.User, config.Passwd = user(account), ""
	return config.FormatDSN()
}

// open is a store on connections of an account.
func open(t *testing.T, trial *jobs.Trial, account string) *jobs.Store {
	t.Helper()
	store, err := jobs.Open(t.Context(), dsn(t, trial, account))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// as is connections on which an account works.
func as(t *testing.T, trial *jobs.Trial, account string) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", dsn(t, trial, account))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// wantDenied wants the server to refuse statements for lack of a right, and not for another reason.
func wantDenied(t *testing.T, trial *jobs.Trial, account string, statements ...string) {
	t.Helper()
	db := as(t, trial, account)
	for _, s := range statements {
		_, err := db.Exec(s)
		if e := new(mysql.MySQLError); !errors.As(err, &e) || e.Number != 1142 {
			t.Errorf("%s: %v", s, err)
		}
	}
}
