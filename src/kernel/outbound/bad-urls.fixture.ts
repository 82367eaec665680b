import ipaddr from 'ipaddr.js'

/** URLs that the service must never call, in every notation of an IP address, all with one port. */
export function badUrls(port: number): string[] {
  const four = badIPv4.flatMap((address) => [...spellings(address), ...disguises(address)])
  const six = badIPv6.map((address) => `[${address}]`)
  const hosts = [...four, ...six, ...badNames]
  const urls = hosts.flatMap((host, index) => [`${index % 2 ? 'http' : 'https'}://${host}:${port}/`])
  return [...urls, ...wrongSchemes(port), ...userInfo(port)]
}

/** One IP address of each kind that a name server may return. */
export const badAnswers = (): string[] => [...badIPv4, ...badIPv6]

const badIPv4 = [
  '0.0.0.0',
  '0.0.0.1',
  '0.255.255.255',
  '10.0.0.0',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.0',
  '100.100.100.200',
  '100.127.255.255',
  '127.0.0.1',
  '127.0.0.2',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.0.1',
  '169.254.169.254',
  '169.254.255.255',
  '172.16.0.0',
  '172.20.10.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.0.192',
  '192.0.2.1',
  '192.0.2.255',
  '192.31.196.1',
  '192.52.193.1',
  '192.88.99.1',
  '192.168.0.1',
  '192.168.255.255',
  '192.175.48.1',
  '198.18.0.0',
  '198.19.255.255',
  '198.51.100.7',
  '203.0.113.7',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '254.1.2.3',
  '255.255.255.255',
]

const badIPv6 = [
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '::7f00:1',
  '::2',
  '100::',
  '100::1',
  '64:ff9b::1',
  '64:ff9b:1::1',
  '64:ff9b:1:ffff:7f00:1::',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:1ff:ffff::1',
  '2001:db8::1',
  '2001:db8:ffff::1',
  '2002::1',
  '2002:808:808::1',
  '2620:4f:8000::1',
  '3ffe::1',
  '3fff::1',
  '3fff:fff::1',
  '4000::1',
  '5f00::1',
  '5f00:ffff::1',
  '8000::1',
  'fc00::1',
  'fd00:ec2::254',
  'fdff::1',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'feff::1',
  'ff00::1',
  'ff02::1',
  'ff0e::1',
  '::ffff:0:127.0.0.1',
  '::ffff:0:0',
]

const badNames = [
  'localhost',
  'localhost.',
  'LOCALHOST',
  'LocalHost.',
  'a.localhost',
  'a.b.localhost.',
  'x.LOCALHOST',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'ｌｏｃａｌｈｏｓｔ',
  'loc%61lhost',
  '１２７．０．０．１',
  '127。0。0。1',
  '①②⑦.⓪.⓪.①',
  '127.0.0.%31',
]

function spellings(address: string): string[] {
  const bytes = ipaddr.IPv4.parse(address).toByteArray() as [number, number, number, number]
  const [first, second, third, fourth] = bytes
  const number = ((first * 256 + second) * 256 + third) * 256 + fourth
  return [
    address,
    `${address}.`,
    String(number),
    `0x${number.toString(16)}`,
    `0${number.toString(8)}`,
    bytes.map((byte) => `0${byte.toString(8)}`).join('.'),
    bytes.map((byte) => `0x${byte.toString(16)}`).join('.'),
    bytes.map((byte) => `0x0000${byte.toString(16)}`).join('.'),
    `${first}.${number % 2 ** 24}`,
    `${first}.${second}.${third * 256 + fourth}`,
    [...address].map((sign) => (sign === '.' ? '．' : String.fromCodePoint(0xff10 + Number(sign)))).join(''),
    [...address].map((sign) => `%${(sign.codePointAt(0) ?? 0).toString(16)}`).join(''),
  ]
}

function disguises(address: string): string[] {
  const hex = ipaddr.IPv4.parse(address)
    .toByteArray()
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
  const [high, low] = [hex.slice(0, 4), hex.slice(4)]
  const flipped = (part: string) => (Number.parseInt(part, 16) ^ 0xffff).toString(16)
  return [
    `[::ffff:${address}]`,
    `[::ffff:${high}:${low}]`,
    `[0:0:0:0:0:FFFF:${high}:${low}]`,
    `[::${address}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b:1::${address}]`,
    `[2002:${high}:${low}::1]`,
    `[2001:0:808:808:0:0:${flipped(high)}:${flipped(low)}]`,
  ]
}

const wrongSchemes = (port: number) => [
  ...['ftp', 'ws', 'wss', 'gopher', 'dict', 'ldap', 'unix', 'HTTPX'].map((scheme) => `${scheme}://127.0.0.1:${port}/`),
  'file:///etc/passwd',
  'data:text/plain,a',
  'javascript:alert(1)',
  'blob:http://a/b',
  'about:blank',
  '',
  ' ',
  '//127.0.0.1/',
  '/path',
  'http://',
  'http://[::1',
  'http://1.2.3.4.5/',
  'http://256.256.256.256/',
  'http://[fe80::1%25eth0]/',
  'http://a b/',
  'http://a%00b/',
  'https://:443/',
  'http://example.com:99999/',
]

const userInfo = (port: number) => [
  'http://user@public.example/',
  'http://user:secret@public.example/',
  'https://:secret@public.example/',
  `http://public.example@127.0.0.1:${port}/`,
  `http://public.example:80@127.0.0.1:${port}/`,
  `http://public.example%2F@127.0.0.1:${port}/`,
  `http:\\\\a@127.0.0.1:${port}/`,
]
