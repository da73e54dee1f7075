'use strict';

var app = exports = module.exports = {};

/**
 * Starts it.
 * @private
 */

app.init = function init() {
  this.start();
};

app.set = app.put = function (key, value) {};

exports.helper = helper;
module.exports.shown = async (req, res) => { res.send(await helper()); };

function helper() {}

module.exports = { ...app, helper, renamed: helper, answer: 42, run() {} };
