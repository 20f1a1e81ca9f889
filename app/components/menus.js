// Buttons with native popovers: keyboard, Escape and a click elsewhere work by themselves. help_window.js comes first.
function bytesToText(bytes) {
  let text = ""
  for (let i = 0; i < bytes.length; i += 32768) { text += String.fromCharCode(...bytes.subarray(i, i + 32768)) }
  return btoa(text)
}

export function render({model, el}) {
  const bar = make("div", "menus")
  el.append(bar)
  const pick = (key, value) => model.send_msg({pick: key, value: value ?? null})

  const fileEntry = (item) => {
    const input = make("input")
    input.type = "file"
    input.accept = item.accept
    input.hidden = true
    input.dataset.menu = item.key
    input.addEventListener("change", async () => {
      const file = input.files[0]
      input.value = ""
      if (!file) { return }
      if (file.size > item.most) { pick(item.key, {size: file.size}); return }
      pick(item.key, {name: file.name, data: bytesToText(new Uint8Array(await file.arrayBuffer()))})
    })
    bar.append(input)
    return () => input.click()
  }
  const act = (item) => {
    if (item.kind === "file") { return fileEntry(item) }
    if (item.kind === "copy") {
      return () => { navigator.clipboard?.writeText(window.location.href).catch(() => {}); pick(item.key) }
    }
    return () => pick(item.key)
  }

  for (const menu of model.menus) {
    const button = make("button", "open", menu.label)
    button.type = "button"
    button.title = menu.says
    bar.append(button)
    if (!menu.items) { button.addEventListener("click", () => pick(menu.key)); continue }
    button.classList.add("more")
    button.setAttribute("aria-haspopup", "menu")
    const list = make("div", "list")
    list.popover = "auto"
    list.setAttribute("role", "menu")
    list.setAttribute("aria-label", menu.label)
    const entries = menu.items.map((item) => {
      const entry = make("button", "entry", item.label)
      entry.type = "button"
      entry.title = item.says
      entry.setAttribute("role", "menuitem")
      const go = act(item)
      entry.addEventListener("click", () => { list.hidePopover(); go() })
      return entry
    })
    list.append(...entries)
    bar.append(list)
    let closed = 0
    list.addEventListener("toggle", (event) => {
      const open = event.newState === "open"
      button.setAttribute("aria-expanded", String(open))
      if (open) { entries[0].focus() } else { closed = performance.now() }
    })
    button.addEventListener("click", () => {
      if (performance.now() - closed < 200) { return } // this click has closed it
      const {left, right, bottom} = button.getBoundingClientRect()
      list.style.top = `${bottom + 4}px`
      list.showPopover()
      list.style.left = `${Math.max(4, Math.min(left, window.innerWidth - list.offsetWidth - 8, right))}px`
    })
    list.addEventListener("keydown", (event) => {
      const step = {ArrowDown: 1, ArrowUp: -1}[event.key]
      if (!step) { return }
      event.preventDefault()
      const at = entries.indexOf(list.getRootNode().activeElement)
      entries[(at + step + entries.length) % entries.length].focus()
    })
  }

  const window_ = helpWindow(el, pick)
  const show = () => window_.show(model.sheet)
  model.on("sheet", show)
  // A decision, a document or a tour that any text of the page names: one listener for all of them, in whatever shadow root.
  const follow = (event) => {
    const link = event.composedPath().find((n) => n.tagName === "A" && (n.dataset.doc || n.dataset.tour))
    if (!link) { return }
    event.preventDefault()
    if (link.dataset.tour) { window_.close(); pick("start", link.dataset.tour) } else { pick("read", link.dataset.doc) }
  }
  document.addEventListener("click", follow)
  model.on("remove", () => document.removeEventListener("click", follow))
  model.on("msg:custom", (message) => {
    const link = document.createElement("a")
    link.href = URL.createObjectURL(new Blob([message.text], {type: "text/plain"}))
    link.download = message.save
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 10000) // the browser reads it after the click
  })
}
