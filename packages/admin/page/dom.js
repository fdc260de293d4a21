/** Makes an element. Text goes in as text, never as markup: reasons and names are written by people. */
export function make(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children)
}

/** The same in SVG. */
export function draw(tag, attributes = {}, ...children) {
  return filled(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children)
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(name, String(value))
  }
  element.append(...children.filter((child) => child !== undefined))
  return element
}

/** Writes text only where it is another one, so that nothing is read out again. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text
}

export function byId(id) {
  return document.getElementById(id)
}
