/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * map ENTRIES: a map of strings to vectors of strings, filled, read and half emptied.
 */
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

int main(int argc, char **argv)
{
	const unsigned long entries = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 0;
	std::map<std::string, std::vector<std::string>> words;
	unsigned long i, bytes = 0;

	for (i = 0; i < entries; i++) {
		std::string key =
			"a key that is longer than fits " + std::to_string(i * 7919 % entries);
		words[key].push_back("a value of this and that length " + std::to_string(i));
		words[key].push_back("short");
	}
	for (const auto &entry : words)
		for (const std::string &value : entry.second)
			bytes += value.size();
	for (auto at = words.begin(); at != words.end();)
		at = bytes++ % 2 ? words.erase(at) : std::next(at);
	return words.size() > entries;
}
