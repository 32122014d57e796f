/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The type Entry in every place of a name where it is no scope: parameters, template arguments,
 * what is returned, a lambda's parameters, an operator that converts to something of it. Each
 * function keeps one block of a size of its own; tests/groups.test has the sums.
 */
#include <cstdlib>

#define SITE __attribute__((noinline, noclone))

static void *volatile kept;

/* A frame of its own at all levels, and never one for two sizes. */
#define KEEP(size)                                 \
	do {                                       \
		kept = malloc(size);               \
		__asm__ volatile("" ::: "memory"); \
	} while (0)

namespace app
{

struct Entry {
	int value;
	SITE explicit Entry(int v) : value(v)
	{
		KEEP(1 << 4);
	}
	SITE void touch()
	{
		KEEP(1 << 5);
	}
};

static const Entry *kept_entry;

struct EntryList {
	SITE void grow()
	{
		KEEP(1 << 6);
	}
};

template <class T> struct Table {
	SITE void insert(const T &)
	{
		KEEP(1 << 7);
	}
	template <class U> SITE void assign(U, T *)
	{
		KEEP(1 << 8);
	}
	SITE operator T() const
	{
		KEEP(1 << 9);
		return T(*kept_entry);
	}
	SITE bool operator<(const Table &) const
	{
		KEEP(1 << 10);
		return false;
	}
	SITE Table *operator->()
	{
		KEEP(1 << 11);
		return this;
	}
};

SITE void by_value(Entry)
{
	KEEP(1 << 12);
}
SITE void by_pointer(void (*)(Entry), Entry *)
{
	KEEP(1 << 13);
}
template <class T> SITE Table<T> make()
{
	KEEP(1 << 14);
	return Table<T>();
}
template <class T> SITE T *find(T *at)
{
	KEEP(1 << 15);
	return at;
}
template <int N, class... Rest> SITE void variadic(Rest...)
{
	KEEP(1 << 16);
}

namespace
{
SITE void hidden(const Table<Entry> &)
{
	KEEP(1 << 17);
}
} // namespace

} // namespace app

/* No frame of its own but by DWARF. */
static inline __attribute__((always_inline)) void folded_in()
{
	KEEP(1 << 19);
}

SITE void folded_around()
{
	folded_in();
}

template <class F> SITE void call(F f)
{
	f(app::Table<app::Entry>(), nullptr);
}

int main()
{
	app::Entry entry(1);
	app::Table<app::Entry> table;

	app::kept_entry = &entry;
	entry.touch();
	table.insert(entry);
	table.assign<app::Entry>(entry, &entry);
	(void)static_cast<app::Entry>(table);
	(void)(table < table);
	(void)table.operator->();
	app::by_value(entry);
	app::by_pointer(app::by_value, &entry);
	app::make<app::Entry>();
	app::find<app::Entry>(&entry);
	app::variadic<3, app::Entry *, app::Table<app::Entry>>(&entry, table);
	app::hidden(table);
	call([](app::Table<app::Entry>, app::Entry *) SITE { KEEP(1 << 18); });
	app::EntryList().grow();
	folded_around();
	return 0;
}
