// Keys: what each does, and the page that says so.

import { dialog } from './dialog.js'
import { $, el, isTyping } from './dom.js'

const HELP = [
  ['n', 'Add URLs'], ['/', 'Search'], ['j k', 'Next and previous download'], ['Enter', 'Show its details'],
  ['x', 'Select it'], ['a', 'Select all'], ['p', 'Pause'], ['r', 'Resume, or retry'], ['c', 'Cancel'], ['Delete',
    'Delete'],
  ['s', 'Save the file'], ['Escape', 'Close, or unselect'], ['1 – 5', 'All, Active, Waiting, Done, Failed'],
  ['t', 'Change the theme'], ['?', 'This list'],
]

export function showHelp() {
  dialog('Keys', el('dl', { class: 'keys' }, ...HELP.flatMap(([keys, text]) => [
    el('dt', {}, ...keys.split(' ').map(key => key === '–' ? '–' : el('kbd', {}, key))), el('dd', {}, text),
  ])))
}

/// - Parameter view: The view of downloads.
export function startKeys(view, add) {
  const run = {
    n: () => add.focus(), '/': () => { $('search').focus(); $('search').select() },
    j: () => view.table.move(1), k: () => view.table.move(-1), x: () => view.toggleCurrent(),
    a: () => view.selection.toggleAll(), p: () => view.act('pause'), r: () => view.resumeOrRetry(),
    c: () => view.act('cancel'), Delete: () => view.act('delete'), s: () => save(view),
    t: () => $('theme').click(), '?': showHelp, Escape: () => escape(view),
  }
  const views = { 1: 'all', 2: 'active', 3: 'waiting', 4: 'done', 5: 'failed' }
  addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    if (document.querySelector('dialog[open], [popover]:popover-open')) return
    if (isTyping(event.target)) {
      if (event.key === 'Escape') event.target.blur()
      return
    }
    if (views[event.key]) { location.hash = views[event.key]; return }
    const isList = document.body.dataset.panel === 'downloads'
    if (!run[event.key] || (!isList && !['?', 't', 'n'].includes(event.key))) return
    event.preventDefault()
    run[event.key]()
  })
}

function save(view) {
  const row = view.table.currentRow
  if (row?.state === 'completed') view.actions.one('save', row)
}

function escape(view) {
  if (!view.selection.isEmpty) view.selection.clear()
  else if (view.detail.id) view.show(null)
}
