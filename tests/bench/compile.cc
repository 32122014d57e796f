/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the compilers compile: much of the standard library, instantiated a few times.
 */
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

template <int N> struct shelf {
	std::map<std::string, std::vector<std::shared_ptr<std::string>>> books;
	std::unordered_map<std::string, std::function<int(int)>> readers;

	std::string print(const std::string &pattern) const
	{
		std::ostringstream out;

		for (const auto &entry : books)
			if (entry.first.find(pattern) != std::string::npos)
				for (const auto &book : entry.second)
					out << N << *book << '\n';
		return out.str();
	}
	int read(int value)
	{
		std::vector<int> results;

		for (const auto &reader : readers)
			results.push_back(reader.second(value + N));
		std::sort(results.begin(), results.end(), std::greater<int>());
		return results.empty() ? 0 : results.front();
	}
};

template <int N> int use(std::istream &in)
{
	shelf<N> s;
	std::string line;

	while (std::getline(in, line)) {
		s.books[line].push_back(std::make_shared<std::string>(line));
		s.readers[line] = [line](int value) { return value + (int)line.size(); };
	}
	std::cout << s.print("abc");
	return s.read(N) + (N ? use<N - (N > 0)>(in) : 0);
}

int main()
{
	return use<3>(std::cin);
}
