/** Measured by `leaselab bench`: what a process costs that does nothing. */

export {}
