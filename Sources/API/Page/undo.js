// Actions that can be taken back for a while.

import { message } from './messages.js'

const SECONDS = 8

/// Says what was done, and offers to take it back.
///
/// - Returns: A promise of whether it was taken back within some seconds. It is never kept if the page is closed before.
export function mayUndo(text) {
  return new Promise(resolve => {
    const timer = setTimeout(() => { note.close(); resolve(false) }, SECONDS * 1000)
    const run = () => { clearTimeout(timer); resolve(true) }
    const note = message(text, { action: { label: 'Undo', run }, stays: true })
  })
}
