// Short messages at the edge of the page, and what is read aloud.

import { onIntercepted } from './api.js'
import { $, el, iconButton, setText } from './dom.js'

const SECONDS = 8

/// Shows a message for a while. An error stays until it is closed.
///
/// - Returns: A function that changes the message, and one that closes it.
export function message(text, { isError = false, action = null, stays = isError } = {}) {
  const words = el('span', {}, text)
  const close = () => element.remove()
  const element = el('div', { class: isError ? 'message error' : 'message' }, words,
    action && el('button', { type: 'button', class: 'quiet', onclick: () => { close(); action.run() } }, action.label),
    iconButton('cancel', 'Close the message', close))
  $('messages').append(element)
  let timer = stays ? null : setTimeout(close, SECONDS * 1000)
  return {
    close,
    change(text, { isOver = false } = {}) {
      setText(words, text)
      clearTimeout(timer)
      if (isOver) timer = setTimeout(close, SECONDS * 1000)
    },
  }
}

export const complain = (what, error) => message(`${what}: ${error.message}`, { isError: true })

let offered = null

/// A reload goes through the proxy as a navigation, so that it can show its own page.
onIntercepted(() => {
  if (offered?.isConnected) return
  message('A proxy before the service wants you to sign in again.', {
    isError: true, action: { label: 'Sign in again', run: () => location.reload() },
  })
  offered = $('messages').lastElementChild
})

let queue = []
let timer = null

/// Reads a change of state aloud. Many at once become one sentence.
export function announce(text) {
  queue.push(text)
  timer ??= setTimeout(() => {
    $('spoken').textContent = queue.length <= 3 ? queue.join('. ')
      : `${queue.length} changes. The last: ${queue.at(-1)}`
    queue = []
    timer = null
  }, 800)
}
