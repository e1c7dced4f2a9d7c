// Package faults makes Tables 2 and 3 of Fu, Ryder, Milanova and Wonnacott (2004) for
// programs with real input and output: it runs the campaign with faults on each program that
// fetch.sh has laid out, as a user would, and prints how many e-c links each call graph
// predicts and how many of them were experienced.
//
//	go run ./bench faults [-only NAME,...] [-engine jvm|os] [-cache DIR] [-uncovered]
//
// -uncovered says of each native link that was not experienced why. -cache DIR keeps what each
// program's campaign found, in a folder of its own below DIR; with -report nothing is run, and what
// is kept there is counted. bench/journal has the results.
//
// A link is a throw site and a catch. The paper's unit, an operation that faults of disks or
// the network strike and a catch, is counted beside it: an operation is a native method of
// the fault universe, or the method of the JDK that throws for one that failed.
package faults

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	laidout "github.com/catchlens/catchlens/bench/projects"
)

// flags are those of the command line.
var flags = flag.NewFlagSet("faults", flag.ExitOnError)

var (
	program   = flags.String("catchlens", "build/catchlens", "the program that runs the campaigns")
	only      = flags.String("only", "", "names of programs, separated by commas; default: all of them")
	engine    = flags.String("engine", "jvm", "what makes faults happen: jvm or os")
	cache     = flags.String("cache", "", "folder in which results are kept; default: none are")
	report    = flags.Bool("report", false, "run nothing, count what -cache has")
	uncovered = flags.Bool("uncovered", false,
		"print a table of the native links that were not experienced, with the reason in a sentence")
	graphs = flags.String("graphs", "cha,rta,pta,inpta,pta-dr,inpta-dr,obj-dr", "call graphs")
	jobs   = flags.Int("j", 0, "test JVMs at once; 0: one per core")
)

// names of the programs, in the order of the tables.
var names = []string{"minimalftp", "nanohttpd", "nanohttpd-own", "muffin", "commons-io", "filedrop", "filedrop-own",
	"minimalftp-2", "nanohttpd-2", "muffin-2", "commons-io-2", "filedrop-2",
	"nanohttpd-3", "muffin-3", "filedrop-3", "nanohttpd-4", "muffin-4", "filedrop-4",
	"nanohttpd-5", "muffin-5", "nanohttpd-6", "muffin-6", "muffin-7"}

// Run runs the campaigns that the arguments say, and prints the tables.
func Run(args []string) error {
	if err := flags.Parse(args); err != nil {
		return err
	}
	root, err := laidout.Root()
	if err != nil {
		return err
	}
	if *report && *cache == "" {
		return errors.New("-report counts what is in a -cache")
	}
	fmt.Print(heading)
	for _, name := range names {
		dir := filepath.Join(root, "faults", name)
		if *only != "" && !strings.Contains(","+*only+",", ","+name+",") {
			continue
		}
		if !laidout.Complete(dir) {
			return fmt.Errorf("%s is not laid out: run bench/faults/fetch.sh %s", dir, name)
		}
		if err := measure(name, dir); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// measure runs the campaign of a program and prints its rows.
func measure(name, dir string) error {
	kept := *cache
	if kept == "" {
		var err error
		if kept, err = os.MkdirTemp("", "catchlens-faults-"); err != nil {
			return err
		}
		defer os.RemoveAll(kept)
	} else {
		kept = filepath.Join(kept, name+"-"+*engine)
	}
	if !*report {
		if err := campaign(name, dir, kept); err != nil {
			return err
		}
	}
	var last *result
	for _, g := range strings.Split(*graphs, ",") {
		data, _, err := catchlens("report", "--format", "json", "--exceptions", "io", "--call-graph", g, "--cache",
			kept, dir)
		if err != nil {
			return err
		}
		var r result
		if err := json.Unmarshal(data, &r); err != nil {
			return err
		}
		fmt.Printf("| %s | %s | %s |\n", name, g, count(&r))
		last = &r
	}
	if last != nil {
		log.Printf("%s: outcomes of native links with the last call graph: %s", name, outcomes(last))
		if *uncovered {
			fmt.Printf("\n%s\n", table(uncoveredGroups(last)))
		}
	}
	return nil
}

// campaign runs everything, and says what it took.
func campaign(name, dir, kept string) error {
	started := time.Now()
	_, cmd, err := catchlens("run", "--format", "json", "--exceptions", "io", "--faults", *engine,
		"--faults-only", "--cache", kept, "-j", fmt.Sprint(*jobs), dir)
	if err != nil {
		return err
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	log.Printf("%s: campaign with engine %s: %.0f s, %.0f s of processor time", name, *engine,
		time.Since(started).Seconds(), cpu.Seconds())
	return nil
}

func catchlens(args ...string) ([]byte, *exec.Cmd, error) {
	cmd := exec.Command(*program, args...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return nil, nil, errors.Join(err, errors.New(said.String()))
	}
	return out.Bytes(), cmd, nil
}
