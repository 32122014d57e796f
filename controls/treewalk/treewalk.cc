/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A directory walker with the shape of one that was audited: depth first, it keeps the listings of all
 * parents, and in each listing the joined path of every entry. What it holds at its peak follows from
 * the tree: docs/case-study.md.
 *
 *   treewalk MODE DIRECTORY [TEXT]
 *
 *   enumerate   count directories and files, with a look at the types that readdir tells
 *   eager-stat  the same, and keep what stat says of every entry while its listing lives
 *   lazy-stat   the same, and ask stat for one entry at a time
 *   sort        print every path, entries of a directory in order
 *   collect     keep every path until the end, and print them in order
 *   match       print the path of every file that holds TEXT
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#define NOINLINE __attribute__((noinline))

namespace walk {

enum class Mode { kEnumerate, kEagerStat, kLazyStat, kSort, kCollect, kMatch };

struct Entry {
	std::string path;
	unsigned char type;
};

/* The entries of one directory; it lives until all below it was walked. */
class Listing {
public:
	static constexpr size_t kReserve = 64; /* entries, before the first is read */

	NOINLINE void Reserve()
	{
		if (entries.size() == entries.capacity())
			entries.reserve(entries.empty() ? kReserve : entries.size() * 2);
	}
	void Add(std::string path, unsigned char type)
	{
		Reserve();
		entries.push_back({ std::move(path), type });
	}

	std::vector<Entry> entries;
	std::vector<struct stat> stats;
};

class ReadDir {
public:
	/* Of exactly the size that it needs: one allocation. */
	static NOINLINE std::string JoinPath(std::string_view directory, std::string_view name)
	{
		std::string path;

		path.reserve(directory.size() + 1 + name.size());
		path.append(directory);
		path.push_back('/');
		path.append(name);
		return path;
	}
	static NOINLINE void StatEntries(Listing *listing)
	{
		listing->stats.reserve(listing->entries.size());
		for (const Entry &entry : listing->entries) {
			struct stat status = {};

			lstat(entry.path.c_str(), &status);
			listing->stats.push_back(status);
		}
	}
	static NOINLINE bool List(const std::string &directory, Listing *listing)
	{
		DIR *dir = opendir(directory.c_str());

		if (!dir)
			return false;
		while (const struct dirent *entry = readdir(dir)) {
			if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
				continue;
			listing->Add(JoinPath(directory, entry->d_name), entry->d_type);
		}
		closedir(dir);
		return true;
	}
};

/* Every path, until the end. */
class Collector {
public:
	NOINLINE void Add(const std::string &path) { paths.push_back(path); }

	std::vector<std::string> paths;
};

struct Walker {
	Mode mode;
	std::string text;
	Collector collector;
	size_t directories = 0, files = 0, bytes = 0;
	bool failed = false;
};

static NOINLINE bool ContainsText(const std::string &path, const std::string &text)
{
	std::string content;
	char buffer[16384];
	const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return false;
	while ((got = read(fd, buffer, sizeof(buffer))) > 0)
		content.append(buffer, static_cast<size_t>(got));
	close(fd);
	return content.find(text) != std::string::npos;
}

static void VisitFile(Walker *walker, const Entry &entry)
{
	walker->files++;
	if (walker->mode == Mode::kSort ||
	    (walker->mode == Mode::kMatch && ContainsText(entry.path, walker->text)))
		puts(entry.path.c_str());
	if (walker->mode == Mode::kCollect)
		walker->collector.Add(entry.path);
	if (walker->mode == Mode::kLazyStat) {
		struct stat status = {};

		lstat(entry.path.c_str(), &status);
		walker->bytes += static_cast<size_t>(status.st_size);
	}
}

static NOINLINE void WalkDirectory(Walker *walker, const std::string &directory)
{
	Listing listing;

	walker->directories++;
	if (!ReadDir::List(directory, &listing)) {
		walker->failed = true;
		return;
	}
	if (walker->mode == Mode::kEagerStat) {
		ReadDir::StatEntries(&listing);
		for (const struct stat &status : listing.stats)
			if (!S_ISDIR(status.st_mode))
				walker->bytes += static_cast<size_t>(status.st_size);
	}
	if (walker->mode == Mode::kSort)
		std::sort(listing.entries.begin(), listing.entries.end(),
			  [](const Entry &a, const Entry &b) { return a.path < b.path; });
	for (const Entry &entry : listing.entries) {
		if (entry.type == DT_DIR)
			WalkDirectory(walker, entry.path);
		else
			VisitFile(walker, entry);
	}
}

static int Run(const char *mode, const char *directory, const char *text)
{
	static const struct {
		const char *name;
		Mode mode;
	} modes[] = { { "enumerate", Mode::kEnumerate }, { "eager-stat", Mode::kEagerStat },
		      { "lazy-stat", Mode::kLazyStat },	 { "sort", Mode::kSort },
		      { "collect", Mode::kCollect },	 { "match", Mode::kMatch } };
	Walker walker;
	bool known = false;

	for (const auto &one : modes) {
		if (strcmp(one.name, mode) != 0)
			continue;
		walker.mode = one.mode;
		known = true;
	}
	if (!known) {
		fprintf(stderr, "treewalk: %s is no mode\n", mode);
		return 2;
	}
	walker.text = text;
	WalkDirectory(&walker, directory);
	std::sort(walker.collector.paths.begin(), walker.collector.paths.end());
	for (const std::string &path : walker.collector.paths)
		puts(path.c_str());
	if (walker.mode == Mode::kEnumerate || walker.mode == Mode::kEagerStat ||
	    walker.mode == Mode::kLazyStat)
		printf("%zu directories, %zu files, %zu bytes\n", walker.directories, walker.files,
		       walker.bytes);
	return walker.failed;
}

} /* namespace walk */

int main(int argc, char **argv)
{
	if (argc < 3) {
		fputs("usage: treewalk MODE DIRECTORY [TEXT]\n", stderr);
		return 2;
	}
	return walk::Run(argv[1], argv[2], argc > 3 ? argv[3] : "");
}
