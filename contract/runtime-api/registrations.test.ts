import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchEndpoints } from './batches.ts'
import { Address, pluginEndpoints } from './plugins.ts'
import { serviceEndpoints } from './services.ts'
import { webhookEndpoints } from './webhooks.ts'

test('an address is kept as it is called', () => {
  const called: Record<string, string> = {
    'https://plugins.example.com': 'https://plugins.example.com',
    'https://plugins.example.com/a/b': 'https://plugins.example.com/a/b',
    'http://127.0.0.1:8080/x/': 'http://127.0.0.1:8080/x/',
    'HTTPS://Plugins.Example.com:443/A': 'https://plugins.example.com/A',
    'https://evil.com\\plugins.example.com/': 'https://evil.com/plugins.example.com/',
    'https://plugins.example.com%2eevil.com/': 'https://plugins.example.com.evil.com/',
    'https://ｅｖｉｌ.com/': 'https://evil.com/',
    'http://192.0x00A80001': 'http://192.168.0.1',
    'http://3232235521/a/../b': 'http://192.168.0.1/b',
    'https://h.example/\u202egpj': 'https://h.example/%E2%80%AEgpj',
    'https://пример.example/': 'https://xn--e1afmkfd.example/',
  }
  for (const [written, address] of Object.entries(called)) {
    assert.equal(Address.parse(written), address)
    assert.equal(Address.parse(address), address, 'it is kept when it is saved again')
  }
  for (const refused of [
    'http://h:0/',
    'http://h:00',
    'https://u@h/',
    'https://h/?',
    'https://h/#',
    'ftp://h/',
    'h',
  ])
    assert.equal(Address.safeParse(refused).success, false, refused)
})

test('no title or team shows another text than was written, or nothing (C06, D06)', () => {
  const plugin = pluginEndpoints['PUT /plugins/{pluginId}'].body.shape
  const titles = [
    plugin.title,
    serviceEndpoints['PUT /services/{serviceId}'].body.shape.title,
    webhookEndpoints['PUT /webhooks/{webhookId}'].body.shape.title,
    batchEndpoints['POST /batches'].body.options[0].shape.title,
  ]
  for (const title of titles) {
    for (const bad of ['x\u202ey', 'a\r\nb', 'a\r\nX-Evil: 1', '\u0007', '\u200b', '\u3164 \u2060', ' '])
      assert.equal(title.safeParse(bad).success, false, JSON.stringify(bad))
    assert.equal(title.parse(' Événements 中文 '), 'Événements 中文')
  }
})
