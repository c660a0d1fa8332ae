// Sets the color theme before the first paint. It is a separate file so that no inline script is needed.
;(function () {
  var stored = null
  try {
    stored = localStorage.getItem('bundle-console.theme')
  } catch {
    // a browser that forbids storage has no choice to remember
  }
  var dark = stored === 'dark' || (stored !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
})()
