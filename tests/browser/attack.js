// Runs in a page: every way a page can send something to another origin and read the response.
globalThis.attack = async ({ target, name, header, bases }) => {
  const loot = { read: [], tried: [] }
  const note = (way, text) => {
    loot.tried.push(way)
    if (text) loot.read.push(`${way}: ${text.slice(0, 80)}`)
  }
  const get = async (mode, path, init = {}) => {
    const answer = await fetch(target + path, { mode, credentials: 'include', ...init }).catch(() => undefined)
    const text = await answer?.text().catch(() => '')
    return answer?.ok ? text : ''
  }
  const outcomeOf = (thing, good, bad, success) =>
    new Promise((resolve) => {
      thing[good] = () => resolve(success)
      thing[bad] = () => resolve('')
    })

  for (const base of bases) {
    for (const mode of ['no-cors', 'cors']) {
      const body = new URLSearchParams({ name })
      note(`fetch ${mode} POST ${base}`, await get(mode, `${base}/team`, { method: 'POST', body }))
      note(`fetch ${mode} GET ${base}`, await get(mode, `${base}/me`))
    }
    const headers = { 'content-type': 'application/json', ...(header && { 'x-chorus-console': '1' }) }
    const options = { method: 'POST', body: JSON.stringify({ name }), headers }
    note(`fetch with preflight ${base}`, await get('cors', `${base}/team`, options))

    const frame = document.createElement('iframe')
    frame.name = `frame${base.length}`
    document.body.append(frame)
    const form = document.body.appendChild(document.createElement('form'))
    Object.assign(form, { method: 'post', action: `${target}${base}/team`, target: frame.name })
    const input = form.appendChild(document.createElement('input'))
    Object.assign(input, { name: 'name', value: name })
    const arrived = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }))
    form.submit()
    await arrived
    let shown = ''
    try {
      shown = frame.contentDocument?.body.innerText ?? ''
    } catch {}
    note(`form ${base}`, shown.includes('"Result":true') ? shown : '')

    const picture = new Image()
    const seen = outcomeOf(picture, 'onload', 'onerror', 'a picture')
    picture.src = `${target}${base}/me`
    note(`image ${base}`, await seen)

    const script = document.createElement('script')
    const run = outcomeOf(script, 'onload', 'onerror', 'a script')
    script.src = `${target}${base}/me`
    document.body.append(script)
    note(`script ${base}`, await run)

    const source = new EventSource(`${target}${base}/me`, { withCredentials: true })
    note(`EventSource ${base}`, await outcomeOf(source, 'onopen', 'onerror', 'a feed'))
    source.close()

    const socket = new WebSocket(`${target.replace('http', 'ws')}${base}/me`)
    note(`WebSocket ${base}`, await outcomeOf(socket, 'onopen', 'onerror', 'a socket'))
  }
  const feed = new EventSource(`${target}/app/api/feed`, { withCredentials: true })
  note('the feed', await outcomeOf(feed, 'onopen', 'onerror', 'changes'))
  feed.close()
  await get('no-cors', '/app/sign-out', { method: 'POST' })
  await get('no-cors', '/app/api/session', { method: 'POST', body: new URLSearchParams({ email: 'x', password: 'y' }) })
  return loot
}
