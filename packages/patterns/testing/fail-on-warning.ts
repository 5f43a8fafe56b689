// A warning of the process, such as one of listeners that are never taken away, fails the test that causes it. Tests import this for its effect.
process.on('warning', warning => {
  throw warning;
});
