// SPDX-License-Identifier: GPL-3.0-or-later

// Maps, goroutines that call C and are called back by it, a child, a fault that Go's runtime handles.
// C makes 1,600 + 100 allocation calls in functions of its own.
package main

/*
#include <stdlib.h>
#include <string.h>

static __attribute__((noinline)) char *twice(const char *s)
{
	char *p = malloc(2 * strlen(s) + 1);

	strcpy(p, s);
	return strcat(p, s);
}

extern int goAdd(int, int);

static __attribute__((noinline)) int call_back(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		void *volatile p = malloc(10 + i);

		sum = goAdd(sum, i);
		free(p);
	}
	return sum;
}
*/
import "C"

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"unsafe"
)

//export goAdd
func goAdd(a, b C.int) C.int { return a + b }

func useC(times int) int {
	sum := 0
	for i := 0; i < times; i++ {
		s := C.CString("abc")
		t := C.twice(s)
		sum += len(C.GoString(t))
		C.free(unsafe.Pointer(s))
		C.free(unsafe.Pointer(t))
	}
	return sum
}

func main() {
	count := map[string]int{}
	for i := 0; i < 100000; i++ {
		count[fmt.Sprintf("word%d", (i*7919)%1009)]++
	}
	fmt.Println(len(count), count["word5"])
	var all sync.WaitGroup
	sums := make([]int, 8)
	for k := range sums {
		all.Add(1)
		go func(k int) {
			defer all.Done()
			sums[k] = useC(200)
		}(k)
	}
	all.Wait()
	fmt.Println(sums, C.call_back(100))
	runtime.GC()
	said, err := exec.Command("echo", "a child").Output()
	fmt.Print(string(said), err, "\n")
	func() {
		defer func() { fmt.Println("recovered", recover()) }()
		var p *int
		*p = 1
	}()
	fmt.Fprintln(os.Stderr, "to standard error")
	os.Exit(5)
}
