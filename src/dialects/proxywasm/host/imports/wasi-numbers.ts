/** Numbers of WASI that its calls exchange; both modules agree on them. */
export const ERRNO = Object.freeze({
  success: 0,
  badFile: 8,
  fault: 21,
  interrupted: 27,
  invalid: 28,
  noEntry: 44,
  noCall: 52,
  noSeek: 70,
})

export const CLOCK = Object.freeze({ realtime: 0, monotonic: 1 })

export const FD = Object.freeze({ stdin: 0, stdout: 1, stderr: 2 })
