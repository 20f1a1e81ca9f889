// The frame of one cycle as a strip that can be played slot by slot: upper row telemetry, lower row commands.
const SLOTS_PER_S = 24
const ARRIVED = 0, LOST = 1
const COLUMNS = ["slot", "length", "loop", "direction", "hop", "attempt", "tx", "rx", "fate"]

function frameBar(parent, model, words, theme, changed) {
  const area = node("div", "slots", parent)
  const group = node("div", "group", area)
  const play = node("button", "", group, "▶ Slots")
  const whole = node("button", "", group, "All")
  const track = node("div", "track whole", area)
  const strip = node("canvas", "", track)
  const range = node("input", "", track)
  range.type = "range"
  range.min = 0
  range.setAttribute("aria-label", "Slot of the frame")
  whole.setAttribute("aria-label", "Show the whole frame")
  track.title = "Upper row: telemetry. Lower row: commands, dashed in the scene."
  const said = node("div", "said", area)
  for (const [text, colour] of [["lost", words.lost]]) {
    const entry = node("span", "keys", area)
    node("span", "key", entry).style.borderColor = colour
    entry.append(text)
  }
  let slot = null // null: the whole frame at once
  let timer = 0
  let attempts = []
  const sent = (a) => a.fate === ARRIVED || a.fate === LOST
  const over = (a) => slot === null || a.slot + a.length <= slot
  const onAir = (a) => slot !== null && a.slot <= slot && slot < a.slot + a.length && sent(a)
  const colour = (a) => (a.fate === ARRIVED ? theme().accent : a.fate === LOST ? words.lost : theme().faint)
  const name = (n) => (n === 0 ? "G" : n)
  const toSlot = (s) => { slot = s; say(); changed() }
  const stop = () => { clearInterval(timer); timer = 0; play.textContent = "▶ Slots" }
  const start = () => {
    if (slot === null || slot >= model.moving.slots) { toSlot(0) }
    play.textContent = "Pause"
    timer = setInterval(() => { if (slot >= model.moving.slots) { stop() } else { toSlot(slot + 1) } }, 1000 / SLOTS_PER_S)
  }
  play.addEventListener("click", () => (timer ? stop() : start()))
  whole.addEventListener("click", () => { stop(); toSlot(null) })
  range.addEventListener("input", () => { stop(); toSlot(Number(range.value)) })
  const sentence = (S) => {
    if (!S) { return "" }
    if (slot === null) {
      const used = attempts.reduce((sum, a) => sum + a.length, 0), lost = attempts.filter((a) => a.fate === LOST).length
      const served = new Set(attempts.map((a) => a.loop)).size
      return `${used} of ${S} slots, ${served} UAV${served === 1 ? "" : "s"} served, ${lost} attempt${lost === 1 ? "" : "s"} lost`
    }
    if (slot >= S) { return "The frame is over." }
    const now = attempts.find((a) => a.slot <= slot && slot < a.slot + a.length)
    const what = now ? `UAV ${now.loop + 1} ${now.direction ? "command" : "telemetry"} ${name(now.tx)} → ${name(now.rx)}, attempt ${now.attempt + 1}: ${words.fates[now.fate]}` : "nobody sends"
    return `Slot ${slot + 1}: ${what}`
  }
  const say = () => {
    const S = model.moving.slots ?? 0
    range.max = S
    range.value = slot ?? S
    range.disabled = play.disabled = whole.disabled = model.playing || S === 0
    track.classList.toggle("whole", slot === null)
    whole.setAttribute("aria-pressed", String(slot === null))
    said.textContent = sentence(S)
  }
  const draw = () => {
    const [w, h] = fit(strip), S = model.moving.slots, pen = strip.getContext("2d")
    pen.clearRect(0, 0, w, h)
    pen.fillStyle = theme().ground
    pen.fillRect(0, 0, w, h)
    for (const a of attempts) {
      pen.globalAlpha = (over(a) || onAir(a) ? 1 : 0.35) * (a.loop + 1 === model.focus || model.focus === 0 ? 1 : 0.75)
      pen.fillStyle = colour(a)
      pen.fillRect((a.slot / S) * w + 0.5, a.direction === 0 ? 0 : h / 2, Math.max((a.length / S) * w - 1, 1), h / 2)
      if (a.loop + 1 === model.focus) { pen.globalAlpha = 1; pen.fillStyle = words.focus; pen.fillRect((a.slot / S) * w, h - 2, (a.length / S) * w, 2) }
    }
    pen.globalAlpha = 1
  }
  const take = () => { // the attempts of another cycle, or of the same one again
    const rows = model.moving.attempts ?? [], n = COLUMNS.length
    attempts = Array.from({length: rows.length / n}, (_, e) => Object.fromEntries(COLUMNS.map((c, i) => [c, rows[n * e + i]])))
    say()
  }
  return {
    take, say, draw, stop, toSlot, colour, sent, over, onAir,
    reset: () => { stop(); slot = null },
    replaying: () => slot !== null,
    attempts: () => attempts,
  }
}
