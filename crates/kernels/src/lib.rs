//! Number crunching over slices and views; knows no graphs
