// Boost.JSON is used without its library: this file is its code.
#include <boost/json/src.hpp>
