// The window of help: a native dialog, made when it is first asked for. Its pages are HTML of the project itself.
const make = (tag, cls, content) => {
  const made = document.createElement(tag)
  if (cls) { made.className = cls }
  if (content !== undefined) { made.textContent = content }
  return made
}

function helpWindow(el, pick) {
  let dialog, nav, text
  const build = () => {
    dialog = make("dialog", "help")
    nav = make("nav")
    text = make("article")
    text.tabIndex = 0
    const close = make("button", "close", "✕")
    close.type = "button"
    close.title = "Close (Esc)"
    close.setAttribute("aria-label", close.title)
    close.addEventListener("click", () => dialog.close())
    dialog.addEventListener("close", () => pick("closed"))
    dialog.addEventListener("click", (event) => { if (event.composedPath()[0] === dialog) { dialog.close() } })
    dialog.append(nav, text, close)
    el.append(dialog)
  }
  const show = (sheet) => {
    if (!sheet.name) { return }
    if (!dialog) { build() }
    dialog.setAttribute("aria-label", sheet.title)
    nav.replaceChildren(...sheet.contents.map(([name, title]) => {
      const link = make("a", name === sheet.name ? "here" : "", title)
      link.href = "#help"
      link.dataset.doc = name
      return link
    }))
    text.innerHTML = sheet.html
    text.dataset.sheet = sheet.name
    if (!dialog.open) { dialog.showModal() }
    text.focus()
    const place = sheet.anchor ? [...text.querySelectorAll("[id]")].find((n) => n.id === sheet.anchor) : null
    if (place) { place.scrollIntoView({block: "start"}); place.classList.add("found") } else { text.scrollTop = 0 }
  }
  return {show, close: () => dialog?.close()}
}
