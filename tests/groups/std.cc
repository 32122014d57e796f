/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each thing of C++'s library that the built-in set `std` has a group for, some of them often. */
#include <deque>
#include <fstream>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

int main()
{
	std::vector<std::string> texts;
	std::vector<int> numbers(100);
	std::vector<bool> bits(1000);
	std::map<int, std::string> map;
	std::unordered_map<int, int> table;
	std::deque<int> deque(1000);
	std::list<int> list(20, 1);
	std::set<std::string> set;
	const auto made = std::make_shared<int>(3);
	const std::shared_ptr<int> shared(new int(3));
	const int large[20] = { 0 };
	const std::function<int()> function = [large] { return large[3]; };
	std::ostringstream out;
	std::ifstream in("/etc/passwd");
	std::string line;

	for (int i = 0; i < 100; i++) {
		texts.push_back(std::string(40, 'a'));
		map[i] = std::string(50, 'b');
		table[i] = i;
	}
	numbers.resize(1000);
	numbers.reserve(5000);
	deque.push_back(1);
	out << "text" << function() << std::string(1000, 'x');
	while (std::getline(in, line))
		texts.push_back(line);
	set.insert("a text that is too long to be kept in place");
	try {
		throw std::runtime_error("thrown");
	} catch (const std::exception &) {
		list.push_back(2);
	}
	return made == shared;
}
