#!/usr/bin/env node
// A pazaak bot in JavaScript, for Node.js without packages. See ../bot-interface.md.
//
//     pazaak play --bot "cmd:protocol/examples/bot.js"
//     pazaak play --bot "cmd,risk=18:protocol/examples/bot.js"
'use strict';

const readline = require('node:readline');

const options = { risk: '17' };
const say = (...lines) => process.stdout.write(lines.join('\n') + '\n');

function greet(hello) {
  if (hello[0].join(' ') !== 'pazaak-bot 1') return fail('I speak version 1');
  for (const [, name, value] of hello.slice(1)) {
    if (!(name in options) || !/^\d+$/.test(value)) return fail('the only option is risk, a number');
    options[name] = value;
  }
  const told = Object.entries(options).map(([name, value]) => `option ${name} ${value}`);
  say('pazaak-bot 1', 'name JavaScript example', 'version 1', ...told, 'ready');
}

function fail(why) {
  say(`error ${why}`);
  process.exit(1);
}

// The number of the action to take.
function choose(question) {
  const field = (name) => question.find(([key]) => key === name).slice(1);
  const actions = question.filter(([key]) => key === 'action').map((words) => words.slice(1));
  const kind = (wanted) => actions.find(([, is]) => is === wanted)[0];
  if (field('phase')[0] === 'tie') return actions[0][0]; // the tiebreaker, if we hold it
  const total = Number(field('my-total')[0]);
  const theirs = Number(field('their-total')[0]);
  const goal = field('their-stands')[0] === 'yes' ? theirs + 1 : Number(options.risk);
  if (goal <= total && total <= 20) return kind('stand');
  let best = null;
  for (const [number, is, , , after] of actions) {
    const made = Number(after);
    if (is !== 'play' || made > 20 || (total <= 20 && made < goal)) continue;
    if (best === null || made > best.made) best = { number, made };
  }
  return best === null ? kind('end') : best.number;
}

let greeted = false;
let block = [];

readline.createInterface({ input: process.stdin, terminal: false }).on('line', (line) => {
  const words = line.split(' ');
  if (words[0] === 'quit' || words[0] === 'error') process.exit(0);
  if (line !== 'end') {
    block.push(words);
    return;
  }
  const said = block;
  block = [];
  if (!greeted) {
    greeted = true;
    greet(said);
  } else if (said[0][0] === 'choose') {
    say(`act ${said[0][1]} ${choose(said)}`);
  }
});
