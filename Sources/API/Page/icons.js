// The paths of the icons, drawn in a square of 16 units.

export const paths = {
  pause: 'M5 3v10M11 3v10',
  resume: 'M4 3l9 5-9 5z',
  cancel: 'M4 4l8 8M12 4l-8 8',
  more: 'M3 8h.01M8 8h.01M13 8h.01',
  retry: 'M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3',
  delete: 'M3 4h10M6 4V2.5h4V4M4.5 4l.6 9.5h5.8L11.5 4',
  save: 'M8 2v8M4.5 7L8 10.5 11.5 7M3 13.5h10',
  copy: 'M5.5 5.5h7v8h-7zM3.5 10.5v-8h7',
  edit: 'M3 13l.7-3L11 2.7l2.3 2.3L6 12.3z',
  theme: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 3v10M10 4v8M12 5.5v5',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  back: 'M10 3L5 8l5 5',
  options: 'M2 5h7M12 5h2M2 11h2M7 11h7M9 3.5v3M4 9.5v3',
  keys: 'M1.5 4h13v8h-13zM4 7h.01M8 7h.01M12 7h.01M5 9.5h6',
}
