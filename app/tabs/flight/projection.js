// From points in space to pixels; nothing here knows of the page.
const EYE = 3.2 // distance of the eye from the centre, in reaches of the scene

function node(tag, cls, parent, content = "") {
  const made = document.createElement(tag)
  made.className = cls
  made.textContent = content // never HTML
  parent.append(made)
  return made
}

// As many pixels as the screen has for the canvas; returns its size in pixels of the page.
function fit(canvas) {
  const ratio = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight
  if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) { canvas.width = Math.round(w * ratio); canvas.height = Math.round(h * ratio) }
  canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0)
  return [w, h]
}

// Right, up and depth of a point, seen with a turn (yaw, pitch, 1 = perspective) around the centre of the scene.
function project(p, [yaw, pitch, depth], {centre, reach}) {
  const dx = p[0] - centre[0], dy = p[1] - centre[1], dz = p[2] - centre[2]
  const right = Math.cos(yaw) * dx + Math.sin(yaw) * dy, y = -Math.sin(yaw) * dx + Math.cos(yaw) * dy
  const far = y * Math.cos(pitch) - dz * Math.sin(pitch), up = y * Math.sin(pitch) + dz * Math.cos(pitch)
  const f = depth ? (EYE * reach) / (EYE * reach + far) : 1
  return [right * f, up * f, far]
}

// Whether the box (lower corner, upper corner) stands between a point and the eye.
function behind(p, box, [yaw, pitch, depth], {centre, reach}) {
  const back = [Math.sin(yaw) * Math.cos(pitch), -Math.cos(yaw) * Math.cos(pitch), Math.sin(pitch)] // towards the eye
  const eye = depth ? back.map((x, i) => centre[i] + x * EYE * reach) : back.map((x, i) => p[i] + x * 9 * reach)
  let t0 = 0, t1 = 1
  for (let i = 0; i < 3; i++) {
    const d = eye[i] - p[i]
    if (Math.abs(d) < 1e-9) { if (p[i] < box[i] || p[i] > box[i + 3]) { return false } continue }
    const a = (box[i] - p[i]) / d, c = (box[i + 3] - p[i]) / d
    t0 = Math.max(t0, Math.min(a, c)); t1 = Math.min(t1, Math.max(a, c))
  }
  return t1 - t0 > 1e-4
}

function coloursOf(element) {
  const style = getComputedStyle(element)
  const [r, g, b] = style.color.match(/[\d.]+/g).map(Number)
  const dark = 0.3 * r + 0.6 * g + 0.1 * b > (style.color.startsWith("color(") ? 0.5 : 128)
  const accent = style.getPropertyValue("--accent").trim() || "#0072b2"
  const shades = dark ? {paper: "#121212", faint: "#666666", ground: "#2a2a2a", edge: "#f2f2f2"} : {paper: "#ffffff", faint: "#b5b5b5", ground: "#eeeeee", edge: "#ffffff"}
  return {ink: style.color, accent, font: style.fontFamily, ...shades}
}
