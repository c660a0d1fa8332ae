import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { readSentence } from './sentence.ts'

// a Friday; in Berlin it is Saturday already
const NOW = Date.parse('2026-11-27T23:30:00.000Z')
const read = (text: string, timeZone = 'UTC', now = NOW) => readSentence(text, { now, timeZone })
const span = (text: string, timeZone?: string, now?: number) => {
  const { since, until } = read(text, timeZone, now)
  return [since, until].map((time) => time?.replace('.000Z', ''))
}

suite('a search text', () => {
  test('says when it was, in English and in Chinese', () => {
    for (const [text, ...expected] of [
      ['since Tuesday', '2026-11-24T00:00:00', undefined],
      ['on Thursday', '2026-11-26T00:00:00', '2026-11-27T00:00:00'],
      // today is a Friday, so it is that of last week
      ['since friday', '2026-11-20T00:00:00', undefined],
      ['before Tuesday', undefined, '2026-11-24T00:00:00'],
      ['yesterday', '2026-11-26T00:00:00', '2026-11-27T00:00:00'],
      ['since yesterday', '2026-11-26T00:00:00', undefined],
      ['today', '2026-11-27T00:00:00', undefined],
      ['this week', '2026-11-23T00:00:00', undefined],
      ['last week', '2026-11-16T00:00:00', '2026-11-23T00:00:00'],
      ['last hour', '2026-11-27T22:30:00', undefined],
      ['in the past 3 days', '2026-11-24T23:30:00', undefined],
      ['two hours ago', '2026-11-27T21:30:00', undefined],
      ['since 2026-11-03', '2026-11-03T00:00:00', undefined],
      ['自周二以来', '2026-11-24T00:00:00', undefined],
      ['从星期二开始', '2026-11-24T00:00:00', undefined],
      ['周四', '2026-11-26T00:00:00', '2026-11-27T00:00:00'],
      ['上周日', '2026-11-22T00:00:00', '2026-11-23T00:00:00'],
      ['昨天', '2026-11-26T00:00:00', '2026-11-27T00:00:00'],
      ['昨天以来', '2026-11-26T00:00:00', undefined],
      ['今天', '2026-11-27T00:00:00', undefined],
      ['上周', '2026-11-16T00:00:00', '2026-11-23T00:00:00'],
      ['最近一小时', '2026-11-27T22:30:00', undefined],
      ['过去24小时', '2026-11-26T23:30:00', undefined],
      ['两天内', '2026-11-25T23:30:00', undefined],
    ] as const)
      assert.deepEqual(span(text), expected, text)
  })

  test('has days that begin at midnight where the person is', () => {
    assert.deepEqual(span('today', 'Europe/Berlin'), ['2026-11-27T23:00:00', undefined])
    assert.deepEqual(span('today', 'America/New_York'), ['2026-11-27T05:00:00', undefined])
    assert.deepEqual(span('since 2026-11-03', 'Asia/Tokyo'), ['2026-11-02T15:00:00', undefined])
    assert.deepEqual(span('since 2026-11-03', 'America/New_York'), ['2026-11-03T05:00:00', undefined])
    // the clocks in Berlin went back on the 25th of October 2026
    const monday = Date.parse('2026-10-26T12:00:00.000Z')
    assert.deepEqual(span('since saturday', 'Europe/Berlin', monday), ['2026-10-23T22:00:00', undefined])
    assert.deepEqual(span('yesterday', 'Europe/Berlin', monday), [
      '2026-10-24T22:00:00',
      '2026-10-25T23:00:00',
    ])
    assert.deepEqual(span('today', 'Nowhere/Else'), span('today', 'UTC'))
  })

  test('is looked for without the words that say nothing', () => {
    for (const [text, ...words] of [
      ['mail doesn’t go out since Tuesday', 'mail'],
      ["why can't Mail log-in", 'Mail', 'log-in'],
      ['邮件发不出去', '邮件'],
      ['周二以来支付网关超时', '支付', '网关超时'],
      ['数据库连接被拒绝', '数据', '连接', '拒绝'],
      ['磁盘已满', '磁盘已满'],
      ['INC-4711 eu-1', 'INC-4711', 'eu-1'],
      // nothing else is left
      ['out of', 'out', 'of'],
      ['mail gateway Mail', 'mail', 'gateway'],
    ] as const)
      assert.deepEqual(read(text).words, words, text)
    assert.equal(read('mail doesn’t go out since Tuesday').phrase, 'since Tuesday')
  })

  test('says no time where a word only looks like one', () => {
    for (const text of [
      'Tuesday-report',
      'yesterdays',
      '"yesterday"',
      'tuesday',
      'last bundle',
      'since forever',
    ])
      assert.equal(read(text).phrase, undefined, text)
    assert.equal(read('since 2026-13-45').phrase, undefined)
    assert.equal(read('since 2027-01-01').phrase, undefined)
  })
})
