// Collects changes and shows them together, once in a frame of the screen.

const waiting = new Set()
let isScheduled = false

function run() {
  isScheduled = false
  const tasks = [...waiting]
  waiting.clear()
  for (const task of tasks) task()
}

/// Runs a function before the next paint. A function that is asked for many times runs once.
export function soon(task) {
  waiting.add(task)
  if (isScheduled) return
  isScheduled = true
  // A hidden page gets no frames.
  if (document.hidden) setTimeout(run, 250)
  else requestAnimationFrame(run)
}

document.addEventListener('visibilitychange', () => { if (isScheduled) run() })

/// Runs a function at once and then at most every `interval` milliseconds; the last call is never dropped.
export function throttled(task, interval) {
  let timer = null
  let isDue = false
  return function call() {
    if (timer) { isDue = true; return }
    task()
    timer = setTimeout(() => { timer = null; if (isDue) { isDue = false; call() } }, interval)
  }
}
