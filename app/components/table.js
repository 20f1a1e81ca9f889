// Sorting happens here, so that a sorted column stays sorted while the numbers change.
export function render({model, el}) {
  const frame = document.createElement("div")
  frame.className = "frame"
  const table = document.createElement("table")
  const head = table.createTHead().insertRow()
  const body = table.createTBody()
  let by = 0
  let up = true
  model.columns.forEach((column, i) => {
    const cell = document.createElement("th")
    const button = document.createElement("button")
    button.textContent = column.title
    button.addEventListener("click", () => { up = by === i ? !up : true; by = i; draw() })
    cell.append(button)
    head.append(cell)
  })
  const text = (value, digits) => (value === null || value === undefined ? "–" : digits === null ? String(value) : Number(value).toFixed(digits).replace("-", "−"))
  const draw = () => {
    const rows = model.rows.map((row, index) => ({row, index}))
    rows.sort((a, b) => {
      const [x, y] = [a.row[by], b.row[by]]
      if (x === y) { return a.index - b.index }
      if (x === null) { return 1 }
      if (y === null) { return -1 }
      return (x < y ? -1 : 1) * (up ? 1 : -1)
    })
    head.querySelectorAll("button").forEach((b, i) => { b.textContent = model.columns[i].title + (i === by ? (up ? " ▲" : " ▼") : "") })
    const lines = rows.map(({row, index}) => {
      const line = document.createElement("tr")
      line.className = index === model.marked ? "marked" : ""
      row.forEach((value, i) => { line.insertCell().textContent = text(value, model.columns[i].digits) })
      line.addEventListener("click", () => { model.picked = -1; model.picked = index })
      return line
    })
    body.replaceChildren(...lines)
  }
  frame.append(table)
  el.append(frame)
  draw()
  model.on("rows", draw)
  model.on("marked", draw)
}
