/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A map of strings as programs have it: nodes, strings short and long, vectors that grow, half of
 * it erased. */
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

int main(int argc, char **argv)
{
	const unsigned entries = argc > 1 ? atoi(argv[1]) : 1000;
	std::map<std::string, std::vector<std::string>> words;
	unsigned random = 1, erased = 0;
	size_t length = 0;

	for (unsigned i = 0; i < entries; i++) {
		random = random * 1664525 + 1013904223;
		std::vector<std::string> &list = words[std::string(random >> 27, 'a') + std::to_string(i % 997)];
		list.push_back(std::string(random >> 26, 'b'));
	}
	for (auto at = words.begin(); at != words.end(); erased++)
		at = erased % 2 ? words.erase(at) : std::next(at);
	for (const auto &word : words)
		for (const std::string &text : word.second)
			length += word.first.size() + text.size();
	printf("%zu words, %zu bytes\n", words.size(), length);
}
