/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * step_kill LIBRARY STOPS STEPS OFFSET[,OFFSET...] PROGRAM...: runs a program of one thread with
 * LIBRARY preloaded until it has come to one of the addresses in the library, given by their
 * offsets, so many times in all, and from there so many instructions further; kills it there and
 * prints where that was: "library+0xOFFSET", or "elsewhere". Exit status: 0; 1: the program ended
 * before; 77: there is no ptrace here.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLACES_MAX 64
#define NOT_ALLOWED 77 /* the system has no ptrace for us */

static struct {
	uint64_t at; /* offset, then address */
	long word;   /* what stands there without us */
} place[PLACES_MAX];
static unsigned places;
static pid_t child;

static void give_up(const char *what)
{
	fprintf(stderr, "step_kill: %s\n", what);
	if (child > 0)
		kill(child, SIGKILL);
	exit(2);
}

/* How the child stopped; ends when it has ended. */
static int await(void)
{
	int status;

	if (waitpid(child, &status, 0) != child)
		give_up("waitpid");
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_ALLOWED)
		exit(NOT_ALLOWED);
	if (!WIFSTOPPED(status)) {
		printf("ended\n");
		exit(1);
	}
	return WSTOPSIG(status);
}

static void go_on(int how)
{
	if (ptrace(how, child, NULL, NULL))
		give_up("ptrace");
}

/* Where the library begins, once its code is mapped; 0: it is not yet. */
static uint64_t find_library(const char *library)
{
	uint64_t start, begins = 0;
	char name[64], line[8192], path[4096], rights[8];
	int has_code = 0;
	unsigned long offset;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)child);
	maps = fopen(name, "r");
	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%*x %7s %lx %*s %*s %4095s", &start, rights, &offset, path) !=
			    4 ||
		    strcmp(path, library))
			continue;
		if (!offset)
			begins = start;
		has_code |= rights[2] == 'x';
	}
	if (maps)
		fclose(maps);
	return has_code ? begins : 0;
}

static void write_word(uint64_t at, long word)
{
	if (ptrace(PTRACE_POKETEXT, child, (void *)at, (void *)word))
		give_up("cannot write code");
}

static void set_stops(uint64_t begins)
{
	for (unsigned i = 0; i < places; i++) {
		place[i].at += begins;
		place[i].word = ptrace(PTRACE_PEEKTEXT, child, (void *)place[i].at, NULL);
	}
	for (unsigned i = 0; i < places; i++)
		write_word(place[i].at, (place[i].word & ~0xFFL) | 0xCC);
}

/* The child has met a stop: it stands at the instruction, and that is done. */
static void step_over(void)
{
	struct user_regs_struct regs;
	unsigned i = 0;

	ptrace(PTRACE_GETREGS, child, NULL, &regs);
	while (i < places && place[i].at != regs.rip - 1)
		i++;
	if (i == places)
		give_up("stopped by something else");
	regs.rip--;
	ptrace(PTRACE_SETREGS, child, NULL, &regs);
	write_word(place[i].at, place[i].word);
	go_on(PTRACE_SINGLESTEP);
	await();
	write_word(place[i].at, (place[i].word & ~0xFFL) | 0xCC);
}

static void start(const char *library, char **argv)
{
	child = fork();
	if (child == 0) {
		setenv("LD_PRELOAD", library, 1);
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(NOT_ALLOWED);
		execv(argv[0], argv);
		_exit(127);
	}
	if (child < 0)
		give_up("fork");
	await();
}

int main(int argc, char **argv)
{
	struct user_regs_struct regs;
	uint64_t begins = 0;
	long stops, steps;

	if (argc < 6)
		give_up("arguments");
	stops = atol(argv[2]);
	steps = atol(argv[3]);
	for (char *at = strtok(argv[4], ","); at && places < PLACES_MAX; at = strtok(NULL, ","))
		place[places++].at = strtoull(at, NULL, 16);
	start(argv[1], argv + 5);
	while (!(begins = find_library(argv[1]))) {
		go_on(PTRACE_SYSCALL);
		await();
	}
	set_stops(begins);
	for (long i = 0; i < stops; i++) {
		go_on(PTRACE_CONT);
		if (await() != SIGTRAP)
			give_up("another signal");
		step_over();
	}
	/* A stop that is in the way is stepped over, too. */
	for (long i = 0; i < steps; i++) {
		go_on(PTRACE_SINGLESTEP);
		await();
		ptrace(PTRACE_GETREGS, child, NULL, &regs);
		for (unsigned p = 0; p < places; p++)
			if (place[p].at == regs.rip - 1)
				step_over();
	}
	ptrace(PTRACE_GETREGS, child, NULL, &regs);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	if (regs.rip >= begins && regs.rip - begins < 4u << 20)
		printf("library+0x%llx\n", (unsigned long long)(regs.rip - begins));
	else
		printf("elsewhere\n");
	return 0;
}
